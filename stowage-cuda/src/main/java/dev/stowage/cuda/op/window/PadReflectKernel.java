package dev.stowage.cuda.op.window;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;

/** Rows mirrored at their first and last element. */
final class PadReflectKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .parameters(OpParameters.PadReflect1d.class)
                .type(0, ElementType.F32)
                .result(ElementType.F32)
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        if (step.parameters() instanceof OpParameters.PadReflect1d p) {
            out.add(RowGrid.launch("pad_reflect_4", step.result().shape())
                    .i32(p.before())
                    .view(step.operand(0))
                    .view(step.result()));
        }
    }
}
