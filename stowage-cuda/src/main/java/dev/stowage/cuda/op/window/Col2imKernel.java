package dev.stowage.cuda.op.window;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;

/** Overlapping windows of a sequence added up again. */
final class Col2imKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .parameters(OpParameters.Col2im1d.class)
                .allFloats()
                .require(node.source(0).type() == node.type(), "is for one type")
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        if (step.parameters() instanceof OpParameters.Col2im1d(int stride, int channels, int padding)) {
            out.add(RowGrid.launch("col2im_1d", step.result().shape())
                    .i32(step.result().type().code())
                    .i32(stride)
                    .i32(padding)
                    .i64(step.operand(0).dim(0) / channels)
                    .view(step.operand(0))
                    .view(step.result()));
        }
    }
}
