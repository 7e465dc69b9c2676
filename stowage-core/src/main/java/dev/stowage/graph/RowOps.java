package dev.stowage.graph;

import static dev.stowage.graph.OpCall.isMultiple;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;

/** Rows gathered and scattered by index, and sorting within a row. */
sealed interface RowOps extends ShapeOps permits GraphBuilder {

    /**
     * The rows of {@code a} that {@code rows} (i32) names: {@code a[d, n, p, q]} and {@code rows[k, p, q]} give
     * {@code [d, k, p, q]}, as i32 if {@code a} is, else as f32.
     */
    default Tensor getRows(Tensor a, Tensor rows) {
        return OpCall.of(this, Op.GET_ROWS, a, rows)
                .require(
                        a.dim(2) == rows.dim(1) && a.dim(3) == rows.dim(2) && rows.dim(3) == 1,
                        "dimensions 1 and 2 of the row numbers must be like dimensions 2 and 3 of the first")
                .require(rows.type() == ElementType.I32, "the row numbers must be i32")
                .result(
                        a.type() == ElementType.I32 ? ElementType.I32 : ElementType.F32,
                        a.dim(0),
                        rows.dim(0),
                        rows.dim(1),
                        rows.dim(2));
    }

    /**
     * Writes the rows of {@code b} (f32 or f16) over those rows of {@code a} that {@code rows} (i64 or i32) names; the
     * result is a view of {@code a}. {@code a[d, n, p, q]}, {@code b[d, k, p, q]} and {@code rows[k, r, s]}, where
     * {@code r} divides {@code p} and {@code s} divides {@code q}. The sources are {@code b}, {@code rows}, {@code a}.
     */
    default Tensor setRows(Tensor a, Tensor b, Tensor rows) {
        return OpCall.of(this, Op.SET_ROWS, b, rows, a)
                .require(
                        a.dim(0) == b.dim(0) && a.dim(2) == b.dim(2) && a.dim(3) == b.dim(3),
                        "source and target must be alike in all dimensions but 1")
                .require(b.dim(1) == rows.dim(0), "there must be one row number for each row of the source")
                .require(
                        isMultiple(b.dim(2), rows.dim(1)) && isMultiple(b.dim(3), rows.dim(2)) && rows.dim(3) == 1,
                        "the row numbers must repeat a whole number of times over dimensions 2 and 3 of the source")
                .require(b.type() == ElementType.F32 || b.type() == ElementType.F16, "the source must be f32 or f16")
                .require(
                        rows.type() == ElementType.I64 || rows.type() == ElementType.I32,
                        "the row numbers must be i64 or i32")
                .require(
                        a.layout().hasContiguousRows() && b.layout().hasContiguousRows(),
                        "the rows of source and target must be without gaps")
                .resultOver(a);
    }

    /** The places of the elements of each row once they are sorted, as i32 and in the shape of {@code a}. */
    default Tensor argsort(Tensor a, SortOrder order) {
        return OpCall.of(this, Op.ARGSORT, new OpParameters.Argsort(order), a)
                .require(a.dim(0) <= Integer.MAX_VALUE, "the rows must not be too long for i32 to count")
                .result(ElementType.I32, a.shape());
    }

    /** The places of the {@code k} largest elements of each row, largest first: a view of an {@link #argsort}. */
    default Tensor argsortTopK(Tensor a, int k) {
        requireRoomFor(OpCall.of(this, Op.ARGSORT, new OpParameters.Argsort(SortOrder.DESC), a), a, k);
        Tensor sorted = argsort(a, SortOrder.DESC);
        return view4d(
                sorted,
                k,
                sorted.dim(1),
                sorted.dim(2),
                sorted.dim(3),
                sorted.stride(1),
                sorted.stride(2),
                sorted.stride(3),
                0);
    }

    /** The places of the {@code k} largest elements of each row, in no particular order, as i32. */
    default Tensor topK(Tensor a, int k) {
        return requireRoomFor(OpCall.of(this, Op.TOP_K, a), a, k)
                .result(ElementType.I32, k, a.dim(1), a.dim(2), a.dim(3));
    }

    private static OpCall requireRoomFor(OpCall call, Tensor a, int k) {
        if (k < 0 || k > a.dim(0)) {
            throw call.refusal("a row of " + a.dim(0) + " has no " + k + " largest elements");
        }
        return call;
    }
}
