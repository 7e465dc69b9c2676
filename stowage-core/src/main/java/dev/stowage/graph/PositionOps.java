package dev.stowage.graph;

import static dev.stowage.graph.OpCall.isMultiple;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Positions of tokens: rotary embeddings (RoPE) and relative positions. */
sealed interface PositionOps extends OpFamily permits GraphBuilder {

    /** {@link #rope(Tensor, Tensor, Tensor, OpParameters.Rope)} without frequency factors. */
    default Tensor rope(Tensor a, Tensor positions, OpParameters.Rope parameters) {
        return rotated(Op.ROPE, a, positions, null, parameters, false);
    }

    /**
     * Rotates pairs of elements of each row by angles that grow with the position of its token (dimension 2); the
     * result is as {@code a}. There is one position (i32) for each token, or four in the modes with sections. Frequency
     * factors (f32), one for each pair, divide the angles.
     */
    default Tensor rope(Tensor a, Tensor positions, @Nullable Tensor frequencyFactors, OpParameters.Rope parameters) {
        return rotated(Op.ROPE, a, positions, frequencyFactors, parameters, false);
    }

    /** {@link #rope(Tensor, Tensor, Tensor, OpParameters.Rope)} in the bytes of {@code a}. */
    default Tensor ropeInplace(
            Tensor a, Tensor positions, @Nullable Tensor frequencyFactors, OpParameters.Rope parameters) {
        return rotated(Op.ROPE, a, positions, frequencyFactors, parameters, true);
    }

    /** {@link #rope(Tensor, Tensor, Tensor, OpParameters.Rope)} by the same angles the other way round. */
    default Tensor ropeBack(
            Tensor a, Tensor positions, @Nullable Tensor frequencyFactors, OpParameters.Rope parameters) {
        return rotated(Op.ROPE_BACK, a, positions, frequencyFactors, parameters, false);
    }

    private Tensor rotated(
            Op op, Tensor a, Tensor positions, @Nullable Tensor factors, OpParameters.Rope rope, boolean inPlace) {
        long perToken = rope.mode().usesSections() ? 4 : 1;
        OpCall call = OpCall.of(this, op, rope, a, positions, factors)
                .require(positions.shape().isVector(), "the positions must have one dimension")
                .require(positions.type() == ElementType.I32, "the positions must be i32")
                .require(
                        isMultiple(positions.dim(0), perToken) && positions.dim(0) / perToken == a.dim(2),
                        "there must be one position for each token (dimension 2), four in the modes with sections")
                .require(
                        rope.dimensions() >= 0 && rope.dimensions() % 2 == 0,
                        "the number of elements to rotate must be even")
                .require(rope.offset() >= 0 && rope.offset() % 2 == 0, "the offset must be even")
                .require(
                        (long) rope.offset() + rope.dimensions() <= a.dim(0),
                        "the elements to rotate must be within a row")
                .require(
                        rope.mode() != RopeMode.VISION || rope.offset() == 0,
                        "in this mode the offset must be 0: whole rows are rotated");
        if (factors != null) {
            call.require(factors.type() == ElementType.F32, "the frequency factors must be f32")
                    .require(
                            factors.dim(0) >= rope.dimensions() / 2,
                            "there must be a frequency factor for each pair of elements to rotate");
        }
        return call.result(a, inPlace);
    }

    /**
     * The embeddings of relative positions: from {@code a[d, 2 * size - 1]} the result {@code [d, size, size]} of f16
     * whose row {@code (k, q)} is row {@code q - k + size - 1} of {@code a}.
     */
    default Tensor getRelPos(Tensor a, int queries, int keys) {
        return OpCall.of(this, Op.GET_REL_POS, a)
                .require(queries == keys, "there must be as many queries as keys")
                .require(2L * queries - 1 == a.dim(1), "there must be a row for each distance between two positions")
                .result(ElementType.F16, a.dim(0), keys, queries);
    }

    /**
     * {@code a + horizontal + vertical}: adds to the scores {@code a[n * n, h * w, heads]} of an image what f32
     * tensors {@code [n, w, h, heads]} hold for the columns and rows of the keys. The result is as {@code a}.
     */
    default Tensor addRelPos(Tensor a, Tensor horizontal, Tensor vertical) {
        return relative(a, horizontal, vertical, false);
    }

    /** {@link #addRelPos} in the bytes of {@code a}. */
    default Tensor addRelPosInplace(Tensor a, Tensor horizontal, Tensor vertical) {
        return relative(a, horizontal, vertical, true);
    }

    private Tensor relative(Tensor a, Tensor horizontal, Tensor vertical, boolean inPlace) {
        OpCall call = OpCall.of(this, Op.ADD_REL_POS, new OpParameters.AddRelPos(inPlace), a, horizontal, vertical);
        return call.require(horizontal.shape().equals(vertical.shape()), "both additions must have the same shape")
                .require(
                        a.layout().isContiguous()
                                && horizontal.layout().isContiguous()
                                && vertical.layout().isContiguous(),
                        "all must be without gaps")
                .require(
                        horizontal.type() == ElementType.F32 && vertical.type() == ElementType.F32,
                        "both additions must be f32")
                .require(
                        horizontal.dim(3) == a.dim(2),
                        "the additions must have a dimension 3 like dimension 2 of the first")
                .require(
                        call.product(horizontal.dim(0), horizontal.dim(0)) == a.dim(0),
                        "the rows of the first must be as long as those of the additions squared")
                .require(
                        call.product(horizontal.dim(1), horizontal.dim(2)) == a.dim(1),
                        "the first must have a row for each place in dimensions 1 and 2 of the additions")
                .result(a, inPlace);
    }
}
