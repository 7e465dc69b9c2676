package dev.stowage.cuda.op.row;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.Copies;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.op.strided.Views;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.Launch.ViewArgument;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/** Rows written over the rows of a table by number, rounded or quantised to its type. */
final class SetRowsKernel implements OpKernel {

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        ElementType table = node.type();
        return Requirements.of(node)
                .type(0, ElementType.F32, ElementType.F16)
                .type(1, ElementType.I32, ElementType.I64)
                .require(
                        Requirements.FLOATS.contains(table) || Copies.ENCODED.contains(table),
                        "does not write rows of " + table)
                .require(
                        node.layout().hasContiguousRows()
                                && node.source(0).layout().hasContiguousRows(),
                        "is for rows without gaps")
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        ViewArgument source = Views.of(step.operand(0));
        ViewArgument table = Views.of(step.result());
        Shape shape = source.layout().shape();
        if (shape.isEmpty()) {
            return;
        }
        Launch launch;
        if (table.layout().type().isQuantized()) {
            launch = RowGrid.launchByWarp("set_rows_encode", shape);
        } else if (Views.isAlignedToFour(source) && Views.isAlignedToFour(table)) {
            launch = RowGrid.launchByFour("set_rows_plain_4", shape);
        } else {
            launch = RowGrid.launch("set_rows_plain", shape);
        }
        out.add(launch.i32(source.layout().type().code())
                .i32(table.layout().type().code())
                .i32(step.operand(1).type() == ElementType.I64 ? 1 : 0)
                .argument(source)
                .view(step.operand(1))
                .argument(table));
    }
}
