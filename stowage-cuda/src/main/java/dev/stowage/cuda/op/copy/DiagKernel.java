package dev.stowage.cuda.op.copy;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.EnumSet;
import java.util.Set;

/** Matrices with the elements of a row on their diagonal and zero elsewhere. */
final class DiagKernel implements OpKernel {

    private static final Set<ElementType> TYPES =
            EnumSet.of(ElementType.F32, ElementType.F16, ElementType.BF16, ElementType.I32, ElementType.I16);

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .result(TYPES)
                .require(node.source(0).type() == node.type(), "is for one type")
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        out.add(RowGrid.launch(
                        "diag_" + step.result().type().bytesPerBlock(),
                        step.result().shape())
                .view(step.operand(0))
                .view(step.result()));
    }
}
