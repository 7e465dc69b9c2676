package dev.stowage.cuda.op.copy;

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

/** A row of numbers at equal distances. */
final class ArangeKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .parameters(OpParameters.Arange.class)
                .require(node.shape().isVector(), "is for a single row")
                .result(ElementType.F32)
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        if (step.parameters() instanceof OpParameters.Arange range) {
            out.add(RowGrid.launch("arange_f32", step.result().shape())
                    .f32(range.start())
                    .f32(range.step())
                    .view(step.result()));
        }
    }
}
