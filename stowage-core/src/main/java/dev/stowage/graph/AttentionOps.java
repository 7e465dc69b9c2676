package dev.stowage.graph;

import static dev.stowage.graph.OpCall.isMultiple;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Attention: softmax, flash attention, and the selection of keys. Optional operands that are left out (null in the long
 * forms) leave a gap in the sources, as in ggml.
 */
sealed interface AttentionOps extends OpFamily permits GraphBuilder {

    /** {@code exp(x) / sum(exp(x))} of each row; the result is as {@code a}. */
    default Tensor softMax(Tensor a) {
        return softMax(a, null, null, 1f, 0f);
    }

    /** {@link #softMax(Tensor)} in the bytes of {@code a}. */
    default Tensor softMaxInplace(Tensor a) {
        return softMax(a, null, null, new OpParameters.SoftMax(1f, 0f), true);
    }

    /** {@link #softMax(Tensor, Tensor, Tensor, float, float)} without sinks. */
    default Tensor softMax(Tensor a, @Nullable Tensor mask, float scale, float maxBias) {
        return softMax(a, mask, null, scale, maxBias);
    }

    /** {@link #softMax(Tensor, Tensor, float, float)} in the bytes of {@code a}. */
    default Tensor softMaxInplace(Tensor a, @Nullable Tensor mask, float scale, float maxBias) {
        return softMax(a, mask, null, new OpParameters.SoftMax(scale, maxBias), true);
    }

    /**
     * The softmax of each row of {@code a * scale + slope * mask}. The mask (f32 or f16) has rows as long as those of
     * {@code a}, at least as many, and repeats over dimensions 2 and 3. The slope is 1, or that of ALiBi for the head
     * (dimension 2) where {@code maxBias} is above 0. Sinks (f32) are one more score for each head that takes part in
     * the sum and has no place in the result.
     */
    default Tensor softMax(Tensor a, @Nullable Tensor mask, @Nullable Tensor sinks, float scale, float maxBias) {
        return softMax(a, mask, sinks, new OpParameters.SoftMax(scale, maxBias), false);
    }

    private Tensor softMax(
            Tensor a, @Nullable Tensor mask, @Nullable Tensor sinks, OpParameters.SoftMax parameters, boolean inPlace) {
        OpCall call = OpCall.of(this, Op.SOFT_MAX, parameters, a, mask, sinks)
                .require(a.layout().isContiguous(), "the scores must be without gaps")
                .require(mask != null || !(parameters.maxBias() > 0), "a bias above 0 needs a mask");
        if (mask != null) {
            call.require(isFloatMask(mask), "the mask must be f16 or f32")
                    .require(mask.layout().isContiguous(), "the mask must be without gaps")
                    .require(mask.dim(0) == a.dim(0), "the rows of the mask must be as long as those of the scores")
                    .require(mask.dim(1) >= a.dim(1), "the mask must have a row for each row of the scores")
                    .require(
                            isMultiple(a.dim(2), mask.dim(2)) && isMultiple(a.dim(3), mask.dim(3)),
                            "the mask must repeat a whole number of times over dimensions 2 and 3 of the scores");
        }
        return requireSinks(call, a, sinks).result(a, inPlace);
    }

    private static boolean isFloatMask(Tensor mask) {
        return mask.type() == ElementType.F16 || mask.type() == ElementType.F32;
    }

    private static OpCall requireSinks(OpCall call, Tensor scores, @Nullable Tensor sinks) {
        if (sinks == null) {
            return call;
        }
        return call.require(sinks.dim(0) == scores.dim(2), "there must be one sink for each head (dimension 2)")
                .require(sinks.type() == ElementType.F32, "the sinks must be f32");
    }

    /** {@link #flashAttention(Tensor, Tensor, Tensor, Tensor, Tensor, OpParameters.FlashAttention)} without sinks. */
    default Tensor flashAttention(
            Tensor q, Tensor k, Tensor v, @Nullable Tensor mask, float scale, float maxBias, float logitSoftcap) {
        return flashAttention(
                q, k, v, mask, null, new OpParameters.FlashAttention(scale, maxBias, logitSoftcap, Precision.DEFAULT));
    }

    /**
     * {@code softmax(k * q * scale + slope * mask) * v} without the matrix in between, as f32:
     * {@code q[d, n, heads, b]}, {@code k[d, m, kvHeads, b]} and {@code v[e, m, kvHeads, b]} give
     * {@code [e, heads, n, b]}. The mask is f16 with a row of {@code m} for each query and repeats over heads and
     * batches; slopes and sinks are those of {@link #softMax(Tensor, Tensor, Tensor, float, float)}.
     */
    default Tensor flashAttention(
            Tensor q,
            Tensor k,
            Tensor v,
            @Nullable Tensor mask,
            @Nullable Tensor sinks,
            OpParameters.FlashAttention parameters) {
        OpCall call = OpCall.of(this, Op.FLASH_ATTN_EXT, parameters, q, k, v, mask, sinks)
                .require(q.dim(0) == k.dim(0), "queries and keys must have the same length")
                .require(
                        isMultiple(q.dim(2), k.dim(2)) && isMultiple(q.dim(2), v.dim(2)),
                        "the heads of the queries must be a whole number of times those of keys and values")
                .require(
                        q.dim(3) == k.dim(3) && q.dim(3) == v.dim(3),
                        "queries, keys and values must have the same dimension 3")
                .require(k.dim(1) == v.dim(1), "there must be as many values as keys")
                .require(mask != null || !(parameters.maxBias() > 0), "a bias above 0 needs a mask");
        if (mask != null) {
            call.require(mask.type() == ElementType.F16, "the mask must be f16")
                    .require(mask.layout().isContiguous(), "the mask must be without gaps")
                    .require(
                            mask.dim(0) >= k.dim(1) && mask.dim(1) >= q.dim(1),
                            "the mask must have a row for each query and in it an element for each key")
                    .require(
                            isMultiple(q.dim(2), mask.dim(2)) && isMultiple(q.dim(3), mask.dim(3)),
                            "the mask must repeat a whole number of times over dimensions 2 and 3 of the queries");
        }
        return requireSinks(call, q, sinks).result(ElementType.F32, v.dim(0), q.dim(2), q.dim(1), q.dim(3));
    }

    /**
     * The score of each key for each token, summed over heads: {@code sum(weights * relu(k * q)) + mask} as f32.
     * {@code q[d, heads, tokens, b]}, {@code k[d, 1, keys, b]}, {@code weights[heads, tokens, 1, b]} and an f16 mask
     * {@code [keys, tokens]} give {@code [keys, tokens, 1, b]}.
     */
    default Tensor lightningIndexer(Tensor q, Tensor k, Tensor weights, Tensor mask) {
        return OpCall.of(this, Op.LIGHTNING_INDEXER, q, k, weights, mask)
                .require(
                        q.type() == ElementType.F32 && weights.type() == ElementType.F32,
                        "queries and weights must be f32")
                .require(mask.type() == ElementType.F16, "the mask must be f16")
                .require(q.dim(0) == k.dim(0), "queries and keys must have the same length")
                .require(k.dim(1) == 1, "the keys must have one head")
                .require(
                        q.dim(1) == weights.dim(0) && q.dim(2) == weights.dim(1) && weights.dim(2) == 1,
                        "there must be one weight for each head and token")
                .require(
                        mask.dim(0) == k.dim(2) && mask.dim(1) == q.dim(2) && mask.dim(2) == 1,
                        "the mask must have a row for each token and in it an element for each key")
                .require(
                        q.dim(3) == k.dim(3) && k.dim(3) == weights.dim(3),
                        "queries, keys and weights must have the same dimension 3")
                .require(isMultiple(weights.dim(3), mask.dim(3)), "the mask must repeat over dimension 3")
                .result(ElementType.F32, k.dim(2), q.dim(2), 1, q.dim(3));
    }
}
