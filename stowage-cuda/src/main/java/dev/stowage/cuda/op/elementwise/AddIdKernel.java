package dev.stowage.cuda.op.elementwise;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/** Adds to each row the row of a table that its id names. */
final class AddIdKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .result(ElementType.F32)
                .type(0, ElementType.F32)
                .type(1, ElementType.F32)
                .type(2, ElementType.I32)
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        out.add(RowGrid.launch("add_id_f32", step.result().shape())
                .view(step.operand(0))
                .view(step.operand(1))
                .view(step.operand(2))
                .view(step.result()));
    }
}
