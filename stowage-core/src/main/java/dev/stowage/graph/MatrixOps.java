package dev.stowage.graph;

import static dev.stowage.graph.OpCall.isMultiple;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.MulMatHint;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.TriangleKind;

/** Products of matrices, and ops on diagonals and triangles. A matrix is dimensions 0 and 1. */
sealed interface MatrixOps extends OpFamily permits GraphBuilder, ConvolutionOps {

    /**
     * {@code b * transposed(a)}: the dot product of every row of {@code a} with every row of {@code b}, as f32. {@code
     * a[k, m, p, q]} and {@code b[k, n, p * r, q * s]} give {@code [m, n, p * r, q * s]}; zeros where {@code k} is 0.
     */
    default Tensor mulMat(Tensor a, Tensor b) {
        return product(a, b, OpParameters.MulMat.DEFAULT);
    }

    /** {@link #mulMat(Tensor, Tensor)} of at least that precision. */
    default Tensor mulMat(Tensor a, Tensor b, Precision precision) {
        return product(a, b, new OpParameters.MulMat(precision, MulMatHint.NONE));
    }

    /** {@link #mulMat(Tensor, Tensor)} with a hint for the device. */
    default Tensor mulMat(Tensor a, Tensor b, Precision precision, MulMatHint hint) {
        return product(a, b, new OpParameters.MulMat(precision, hint));
    }

    /** Rows of no elements have a stride of 0, which is below that of an element, and are in order all the same. */
    private static boolean isTransposed(Tensor a) {
        return a.dim(0) > 0 && a.layout().isTransposed();
    }

    private Tensor product(Tensor a, Tensor b, OpParameters.MulMat parameters) {
        return OpCall.of(this, Op.MUL_MAT, parameters, a, b)
                .require(a.dim(0) == b.dim(0), "the rows of both must have the same length")
                .require(
                        isMultiple(b.dim(2), a.dim(2)) && isMultiple(b.dim(3), a.dim(3)),
                        "the second must have a whole number of matrices for each of the first")
                .require(!isTransposed(a), "the first must not be transposed: make it contiguous")
                .result(ElementType.F32, a.dim(1), b.dim(1), b.dim(2), b.dim(3));
    }

    /**
     * {@link #mulMat(Tensor, Tensor)} with a matrix for each row: {@code as[k, m, experts]}, {@code b[k, u, tokens]}
     * and {@code ids[used, tokens]} (i32) give {@code [m, used, tokens]} of f32, where {@code (e, t)} is row
     * {@code (e % u, t)} of {@code b} times matrix {@code ids[e, t]}; {@code u} divides {@code used}.
     */
    default Tensor mulMatId(Tensor as, Tensor b, Tensor ids) {
        return OpCall.of(this, Op.MUL_MAT_ID, as, b, ids)
                .require(!isTransposed(as), "the first must not be transposed: make it contiguous")
                .require(ids.type() == ElementType.I32, "the ids must be i32")
                .require(as.dim(3) == 1 && b.dim(3) == 1, "both factors must have three dimensions")
                .require(ids.shape().isMatrix(), "the ids must have two dimensions")
                .require(ids.dim(1) == b.dim(2), "there must be one list of ids for each token of the second")
                .require(as.dim(0) == b.dim(0), "the rows of both factors must have the same length")
                .require(
                        isMultiple(ids.dim(0), b.dim(1)),
                        "the ids of a token must be a whole number of times its rows in the second")
                .result(ElementType.F32, as.dim(1), ids.dim(0), b.dim(2), 1);
    }

    /**
     * The sum over the rows of the outer products of a row of {@code a} and a row of {@code b}, as f32:
     * {@code a[m, k, p, q]} and {@code b[n, k, p * r, q * s]} give {@code [m, n, p * r, q * s]}.
     */
    default Tensor outProd(Tensor a, Tensor b) {
        return OpCall.of(this, Op.OUT_PROD, a, b)
                .require(a.dim(1) == b.dim(1), "both must have the same number of rows")
                .require(
                        isMultiple(b.dim(2), a.dim(2)) && isMultiple(b.dim(3), a.dim(3)),
                        "the second must have a whole number of matrices for each of the first")
                .require(!isTransposed(a), "the first must not be transposed: make it contiguous")
                .result(ElementType.F32, a.dim(0), b.dim(0), b.dim(2), b.dim(3));
    }

    /** Solves {@code a * x = b} for a lower triangular f32 {@code a[n, n]}; the result is as {@code b[k, n]}. */
    default Tensor solveTri(Tensor a, Tensor b) {
        return OpCall.of(this, Op.SOLVE_TRI, a, b)
                .require(a.type() == ElementType.F32 && b.type() == ElementType.F32, "both must be f32")
                .require(a.dim(0) == a.dim(1), "the first must be square")
                .require(a.dim(1) == b.dim(1), "both must have the same number of rows")
                .require(a.dim(2) == b.dim(2) && a.dim(3) == b.dim(3), "both must have the same number of matrices")
                .require(a.layout().isContiguous() && b.layout().isContiguous(), "both must be without gaps")
                .resultLike(b);
    }

    /** Matrices with the rows of {@code a} on their diagonals: {@code a[n, 1, p, q]} gives {@code [n, n, p, q]}. */
    default Tensor diag(Tensor a) {
        return OpCall.of(this, Op.DIAG, a)
                .require(a.dim(1) == 1, "the operand must have one row per matrix")
                .result(a.type(), a.dim(0), a.dim(0), a.dim(2), a.dim(3));
    }

    /** {@code a} with minus infinity in row {@code i} after column {@code past + i}. */
    default Tensor diagMaskInf(Tensor a, int past) {
        return masked(Op.DIAG_MASK_INF, a, past, false);
    }

    /** {@link #diagMaskInf} in the bytes of {@code a}. */
    default Tensor diagMaskInfInplace(Tensor a, int past) {
        return masked(Op.DIAG_MASK_INF, a, past, true);
    }

    /** {@code a} with zeros in row {@code i} after column {@code past + i}. */
    default Tensor diagMaskZero(Tensor a, int past) {
        return masked(Op.DIAG_MASK_ZERO, a, past, false);
    }

    /** {@link #diagMaskZero} in the bytes of {@code a}. */
    default Tensor diagMaskZeroInplace(Tensor a, int past) {
        return masked(Op.DIAG_MASK_ZERO, a, past, true);
    }

    private Tensor masked(Op op, Tensor a, int past, boolean inPlace) {
        return OpCall.of(this, op, new OpParameters.DiagMask(past), a)
                .require(past >= 0, "the number of columns before the diagonal must not be negative")
                .result(a, inPlace);
    }

    /** One triangle of square f32 matrices and zeros elsewhere; the result has the shape of {@code a}. */
    default Tensor tri(Tensor a, TriangleKind kind) {
        return OpCall.of(this, Op.TRI, new OpParameters.Tri(kind), a)
                .require(a.type() == ElementType.F32, "the operand must be f32")
                .require(a.layout().isContiguous(), "the operand must be without gaps")
                .require(a.dim(0) == a.dim(1), "the operand must be square")
                .resultLike(a);
    }
}
