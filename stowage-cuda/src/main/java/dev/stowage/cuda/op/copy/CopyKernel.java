package dev.stowage.cuda.op.copy;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.Copies;
import dev.stowage.cuda.op.strided.Views;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Tensor;

/** The elements of the operand in order, without gaps, in another type or over another tensor. */
final class CopyKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .also(Copies.supports(node.source(0).layout(), node.layout()))
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Copies.launch(Views.of(step.operand(0)), Views.of(step.result()), out);
    }
}
