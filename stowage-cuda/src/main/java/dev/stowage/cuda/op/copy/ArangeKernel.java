package dev.stowage.cuda.op.copy;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.op.strided.Rules;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.util.Set;

/** A row of numbers at equal distances. */
final class ArangeKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Rules.all(
                Rules.parameters(node, OpParameters.Arange.class),
                Rules.require(node.shape().isVector(), node.op() + " is for a single row"),
                Rules.typeIn(node, node, Set.of(ElementType.F32)),
                Rules.reachable(node));
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
