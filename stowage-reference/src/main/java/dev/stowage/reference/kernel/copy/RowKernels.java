package dev.stowage.reference.kernel.copy;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.RowIndices;
import dev.stowage.tensor.Op;
import java.util.Map;

/** Rows of a table read and written by index. */
public final class RowKernels {

    private RowKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.GET_ROWS, RowKernels::getRows);
        kernels.put(Op.SET_ROWS, RowKernels::setRows);
    }

    /** {@code result[:, k, p, q] = table[:, rows[k, p, q], p, q]}. */
    private static void getRows(Step step) {
        Elements table = Elements.of(step.operand(0));
        RowIndices rows = RowIndices.of(step.operand(1), step.operand(0));
        Elements result = Elements.of(step.result());
        Elements.forEachRow(result.shape(), (k, p, q) -> result.setRow(k, p, q, table.row(rows.get(k, p, q), p, q)));
    }

    /**
     * {@code table[:, rows[k, p, q], p, q] = source[:, k, p, q]} with the row numbers repeated over dimensions 2 and 3.
     * The result is a view of the table. Where a number comes twice the later row stays.
     */
    private static void setRows(Step step) {
        Elements source = Elements.of(step.operand(0));
        RowIndices rows = RowIndices.of(step.operand(1), step.result());
        Elements table = Elements.of(step.result());
        Elements.forEachRow(source.shape(), (k, p, q) -> table.setRow(rows.get(k, p, q), p, q, source.row(k, p, q)));
    }
}
