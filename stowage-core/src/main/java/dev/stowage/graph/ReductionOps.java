package dev.stowage.graph;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/** Reductions: sums, means, argmax. */
sealed interface ReductionOps extends OpFamily permits GraphBuilder {

    /** The sum of all elements: one number of the type of {@code a}. */
    default Tensor sum(Tensor a) {
        return OpCall.of(this, Op.SUM, a).result(a.type(), 1);
    }

    /** The sum of each row, of the type of {@code a}: {@code a[n, p, q, r]} gives {@code [1, p, q, r]}. */
    default Tensor sumRows(Tensor a) {
        return OpCall.of(this, Op.SUM_ROWS, a).result(a.type(), 1, a.dim(1), a.dim(2), a.dim(3));
    }

    /** The sums of each row up to and with each element, for f32; the result is as {@code a}. */
    default Tensor cumsum(Tensor a) {
        return OpCall.of(this, Op.CUMSUM, a)
                .require(a.type() == ElementType.F32, "the operand must be f32")
                .resultLike(a);
    }

    /** The mean of each row, as f32: {@code a[n, p, q, r]} gives {@code [1, p, q, r]}. */
    default Tensor mean(Tensor a) {
        return OpCall.of(this, Op.MEAN, a).result(ElementType.F32, 1, a.dim(1), a.dim(2), a.dim(3));
    }

    /** The place of the largest element of each row of a matrix, as i32: {@code a[n, m]} gives {@code [m]}. */
    default Tensor argmax(Tensor a) {
        return OpCall.of(this, Op.ARGMAX, a)
                .require(a.shape().isMatrix(), "the operand must have two dimensions")
                .require(a.dim(0) <= Integer.MAX_VALUE, "the rows must not be too long for i32 to count")
                .result(ElementType.I32, a.dim(1));
    }

    /** In how many places two tensors of the same shape have equal elements: one i64 number. */
    default Tensor countEqual(Tensor a, Tensor b) {
        return OpCall.of(this, Op.COUNT_EQUAL, a, b)
                .require(a.shape().equals(b.shape()), "both must have the same shape")
                .result(ElementType.I64, 1);
    }
}
