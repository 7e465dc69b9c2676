package dev.stowage.cuda.op.row;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.strided.RowGrid;
import dev.stowage.cuda.op.strided.Views;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch.ViewArgument;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/** Rows of a table by number, decoded to f32; i32 stays i32. A number without a row gives NaN, or zero. */
final class GetRowsKernel implements OpKernel {

    private static final int NAN = 0x7fc0_0000;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        ElementType table = node.source(0).type();
        boolean wholeNumbers = table == ElementType.I32 && node.type() == ElementType.I32;
        boolean decoded =
                (Requirements.FLOATS.contains(table) || table.isQuantized()) && node.type() == ElementType.F32;
        return Requirements.of(node)
                .require(
                        wholeNumbers || decoded,
                        "is for floats and quantised types as f32 and for i32, not for " + table + " as " + node.type())
                .type(1, ElementType.I32)
                .reachable()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        ViewArgument table = Views.of(step.operand(0));
        ViewArgument result = Views.of(step.result());
        boolean asTheyAre = table.layout().type() == result.layout().type()
                && table.layout().hasContiguousRows()
                && result.layout().hasContiguousRows();
        if (asTheyAre) {
            // Both have elements of four bytes: a unit is one of them or four.
            int unit = Views.unit(0, table, result) == 16 ? 16 : 4;
            ViewArgument rows = Views.inUnits(result, unit);
            out.add(RowGrid.launch("get_rows_" + unit, rows.layout().shape())
                    .i32(result.layout().type() == ElementType.F32 ? NAN : 0)
                    .argument(Views.inUnits(table, unit))
                    .view(step.operand(1))
                    .argument(rows));
        } else {
            out.add(RowGrid.launch("get_rows_decode", result.layout().shape())
                    .i32(table.layout().type().code())
                    .argument(table)
                    .view(step.operand(1))
                    .argument(result));
        }
    }
}
