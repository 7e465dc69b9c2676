package dev.stowage.graph;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/**
 * Residual connections of several streams that are mixed around each layer. All operands and results are f32; there
 * are {@code streams} copies of the residual of each token.
 */
sealed interface HyperConnectionOps extends OpFamily permits GraphBuilder {

    /**
     * The matrices that mix four streams, their rows and columns balanced in turn: {@code mixes[24, tokens]}, at least
     * three scales and {@code base[24]} give {@code [4, 4, tokens]}.
     */
    default Tensor dsv4HcComb(Tensor mixes, Tensor scale, Tensor base, float epsilon, int iterations) {
        return OpCall.of(
                        this,
                        Op.DSV4_HC_COMB,
                        new OpParameters.HyperConnection(epsilon, iterations),
                        mixes,
                        scale,
                        base)
                .require(isF32(mixes) && isF32(scale) && isF32(base), "all must be f32")
                .require(iterations > 0, "there must be at least one iteration")
                .require(mixes.dim(0) == 24 && mixes.shape().isMatrix(), "the mixes must be [24, tokens]")
                .require(scale.dim(0) >= 3 && scale.shape().isVector(), "there must be three scales")
                .require(base.shape().equals(Shape.of(24)), "the base must be [24]")
                .result(ElementType.F32, 4, 4, mixes.dim(1));
    }

    /**
     * The input of a layer, the weighted sum of the streams: {@code x[n, streams, tokens]} and
     * {@code weights[streams, tokens]} give {@code [n, tokens]}.
     */
    default Tensor dsv4HcPre(Tensor x, Tensor weights) {
        return OpCall.of(this, Op.DSV4_HC_PRE, x, weights)
                .require(isF32(x) && isF32(weights), "both must be f32")
                .require(x.dim(1) > 0 && x.dim(3) == 1, "the streams must be [n, streams, tokens]")
                .require(
                        weights.shape().equals(Shape.of(x.dim(1), x.dim(2))),
                        "there must be one weight for each stream and token")
                .result(ElementType.F32, x.dim(0), x.dim(2));
    }

    /**
     * The streams after a layer: {@code x[n, tokens]} times {@code post[streams, tokens]} plus the
     * {@code residual[n, streams, tokens]} mixed by {@code comb[streams, streams, tokens]}; the result is as the
     * residual.
     */
    default Tensor dsv4HcPost(Tensor x, Tensor residual, Tensor post, Tensor comb) {
        long streams = residual.dim(1);
        long tokens = x.dim(1);
        return OpCall.of(this, Op.DSV4_HC_POST, x, residual, post, comb)
                .require(isF32(x) && isF32(residual) && isF32(post) && isF32(comb), "all must be f32")
                .require(x.shape().isMatrix(), "the output of the layer must be [n, tokens]")
                .require(
                        streams > 0 && residual.shape().equals(new Shape(x.dim(0), streams, tokens, 1)),
                        "the residual must be [n, streams, tokens]")
                .require(post.shape().equals(Shape.of(streams, tokens)), "post must be [streams, tokens]")
                .require(
                        comb.shape().equals(Shape.of(streams, streams, tokens)),
                        "comb must be [streams, streams, tokens]")
                .result(ElementType.F32, x.dim(0), streams, tokens);
    }

    private static boolean isF32(Tensor tensor) {
        return tensor.type() == ElementType.F32;
    }
}
