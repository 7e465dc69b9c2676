package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

class AttentionOpsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor scores = b.tensor(F32, 16, 5, 4, 2).named("scores");
    private final Tensor mask = b.tensor(F16, 16, 8, 2, 1).named("mask");
    private final Tensor sinks = b.tensor(F32, 4).named("sinks");

    private final Tensor q = b.tensor(F32, 64, 5, 8, 2).named("q");
    private final Tensor k = b.tensor(F16, 64, 32, 2, 2).named("k");
    private final Tensor v = b.tensor(F16, 48, 32, 2, 2).named("v");
    private final Tensor kqMask = b.tensor(F16, 32, 5).named("kqMask");

    @Test
    void takesTheSoftmaxOfRows() {
        OpParameters.SoftMax plain = new OpParameters.SoftMax(1f, 0f);

        assertResult(b.softMax(scores))
                .computes(Op.SOFT_MAX)
                .hasParameters(plain)
                .reads(scores)
                .isFresh(F32, 16, 5, 4, 2);
        assertResult(b.softMaxInplace(scores))
                .computes(Op.SOFT_MAX)
                .hasParameters(plain)
                .reads(scores)
                .overwrites(scores);
    }

    @Test
    void masksTheScores() {
        OpParameters.SoftMax scaled = new OpParameters.SoftMax(.5f, 8f);

        assertResult(b.softMax(scores, mask, .5f, 8f))
                .hasParameters(scaled)
                .reads(scores, mask)
                .isFresh(F32, 16, 5, 4, 2);
        assertResult(b.softMaxInplace(scores, mask, .5f, 8f))
                .hasParameters(scaled)
                .reads(scores, mask)
                .overwrites(scores);
    }

    @Test
    void leavesAGapWhereThereIsNoMask() {
        assertResult(b.softMax(scores, null, .5f, 0f)).reads(scores);
        assertResult(b.softMax(scores, null, sinks, .5f, 0f)).reads(scores, null, sinks);
        assertResult(b.softMax(scores, mask, sinks, .5f, 0f)).reads(scores, mask, sinks);
    }

    @Test
    void refusesMasksThatDoNotCoverTheScores() {
        Tensor narrow = b.tensor(F16, 15, 5);
        Tensor low = b.tensor(F16, 16, 4);
        Tensor three = b.tensor(F16, 16, 5, 3);
        Tensor whole = b.tensor(I32, 16, 5);

        assertRefused(b, () -> b.softMax(scores, narrow, 1f, 0f), Op.SOFT_MAX, "as long as", scores, narrow);
        assertRefused(b, () -> b.softMax(scores, low, 1f, 0f), Op.SOFT_MAX, "a row for each row", scores, low);
        assertRefused(b, () -> b.softMax(scores, three, 1f, 0f), Op.SOFT_MAX, "must repeat", scores, three);
        assertRefused(b, () -> b.softMax(scores, whole, 1f, 0f), Op.SOFT_MAX, "f16 or f32", scores, whole);
    }

    @Test
    void refusesABiasWithoutAMask() {
        assertRefused(b, () -> b.softMax(scores, null, 1f, 8f), Op.SOFT_MAX, "needs a mask", scores);
        assertRefused(b, () -> b.flashAttention(q, k, v, null, 1f, 8f, 0f), Op.FLASH_ATTN_EXT, "needs a mask", q, k, v);
    }

    @Test
    void refusesScoresWithGaps() {
        Tensor turned = b.transpose(scores);

        assertRefused(b, () -> b.softMax(turned), Op.SOFT_MAX, "without gaps", turned);
    }

    @Test
    void refusesSinksForOtherHeads() {
        Tensor two = b.tensor(F32, 2);

        assertRefused(
                b,
                () -> b.softMax(scores, mask, two, 1f, 0f),
                Op.SOFT_MAX,
                "one sink for each head",
                scores,
                mask,
                two);
    }

    @Test
    void attendsWithRowsOfHeadsInTheResult() {
        assertResult(b.flashAttention(q, k, v, kqMask, .125f, 0f, 30f))
                .computes(Op.FLASH_ATTN_EXT)
                .hasParameters(new OpParameters.FlashAttention(.125f, 0f, 30f, Precision.DEFAULT))
                .reads(q, k, v, kqMask)
                .isFresh(F32, 48, 8, 5, 2);
    }

    @Test
    void attendsWithSinksAndPrecision() {
        OpParameters.FlashAttention exact = new OpParameters.FlashAttention(.125f, 0f, 0f, Precision.F32);
        Tensor eight = b.tensor(F32, 8);

        assertResult(b.flashAttention(q, k, v, null, eight, exact))
                .hasParameters(exact)
                .reads(q, k, v, null, eight)
                .isFresh(F32, 48, 8, 5, 2);
    }

    @Test
    void refusesKeysAndValuesThatDoNotGoTogether() {
        Tensor shortKeys = b.tensor(F16, 32, 32, 2, 2);
        Tensor fewValues = b.tensor(F16, 48, 16, 2, 2);
        Tensor threeHeads = b.tensor(F16, 64, 32, 3, 2);
        Tensor oneBatch = b.tensor(F16, 48, 32, 2, 1);

        assertRefused(b, () -> attention(shortKeys, v), Op.FLASH_ATTN_EXT, "the same length", q, shortKeys, v);
        assertRefused(b, () -> attention(k, fewValues), Op.FLASH_ATTN_EXT, "as many values as keys", q, k, fewValues);
        assertRefused(b, () -> attention(threeHeads, v), Op.FLASH_ATTN_EXT, "heads of the queries", q, threeHeads, v);
        assertRefused(b, () -> attention(k, oneBatch), Op.FLASH_ATTN_EXT, "the same dimension 3", q, k, oneBatch);
    }

    private Tensor attention(Tensor keys, Tensor values) {
        return b.flashAttention(q, keys, values, kqMask, 1f, 0f, 0f);
    }

    @Test
    void refusesAttentionMasksThatAreTooSmallOrNotF16() {
        Tensor small = b.tensor(F16, 32, 4);
        Tensor wide = b.tensor(F32, 32, 5);

        assertRefused(
                b,
                () -> b.flashAttention(q, k, v, small, 1f, 0f, 0f),
                Op.FLASH_ATTN_EXT,
                "for each query",
                q,
                k,
                v,
                small);
        assertRefused(
                b, () -> b.flashAttention(q, k, v, wide, 1f, 0f, 0f), Op.FLASH_ATTN_EXT, "must be f16", q, k, v, wide);
    }

    @Test
    void scoresKeysForTokens() {
        Tensor queries = b.tensor(F32, 64, 4, 6, 2);
        Tensor keys = b.tensor(F16, 64, 1, 20, 2);
        Tensor weights = b.tensor(F32, 4, 6, 1, 2);
        Tensor allowed = b.tensor(F16, 20, 6);

        assertResult(b.lightningIndexer(queries, keys, weights, allowed))
                .computes(Op.LIGHTNING_INDEXER)
                .reads(queries, keys, weights, allowed)
                .isFresh(F32, 20, 6, 1, 2);
    }

    @Test
    void refusesKeysOfSeveralHeads() {
        Tensor queries = b.tensor(F32, 64, 4, 6);
        Tensor keys = b.tensor(F16, 64, 2, 20);
        Tensor weights = b.tensor(F32, 4, 6);
        Tensor allowed = b.tensor(F16, 20, 6);

        assertRefused(
                b,
                () -> b.lightningIndexer(queries, keys, weights, allowed),
                Op.LIGHTNING_INDEXER,
                "one head",
                queries,
                keys,
                weights,
                allowed);
    }
}
