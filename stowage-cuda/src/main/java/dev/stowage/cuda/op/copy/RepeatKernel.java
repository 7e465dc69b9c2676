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

/** The operand as often in each dimension as it takes to fill the result. */
final class RepeatKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        Tensor a = node.source(0);
        return Requirements.of(node)
                .require(a.type() == node.type(), "is for results of the type of the operand")
                .require(
                        !a.type().isQuantized() || a.layout().hasContiguousRows(),
                        "of " + a.type() + " is for rows of blocks without gaps")
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Copies.units("repeat_", 0, Views.of(step.operand(0)), Views.of(step.result()), out);
    }
}
