package dev.stowage.reference.kernel.attention;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static java.lang.Double.NEGATIVE_INFINITY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FlashAttentionKernelTest {

    private static final int KEYS = 6;
    private static final int QUERIES = 3;
    private static final int HEADS = 4;

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    /** Softmax of products, then products: what the fused op stands for, computed by the ops it takes the place of. */
    private Tensor stepByStep(Tensor q, Tensor k, Tensor v, Tensor mask, Tensor sinks, float scale, float maxBias) {
        Tensor weights = ops.softMax(ops.mulMat(k, q), mask, sinks, scale, maxBias);
        Tensor values = ops.cont(ops.transpose(v));
        return ops.cont(ops.permute(ops.mulMat(values, weights), 0, 2, 1, 3));
    }

    @ParameterizedTest
    @CsvSource({"0, 2", "8, 4", "8, 1"})
    void isTheSameAsSoftmaxBetweenTwoProducts(float maxBias, int keyHeads) {
        Random random = new Random(1);
        Tensor q = TestGrid.random(random, 8, QUERIES, HEADS, 2).in(computation);
        Tensor k = TestGrid.random(random, 8, KEYS, keyHeads, 2).in(computation);
        Tensor v = TestGrid.random(random, 5, KEYS, keyHeads, 2).in(computation);
        TestGrid bias = TestGrid.random(random, KEYS, QUERIES, HEADS, 2);
        bias.set(2, 1, 0, 0, NEGATIVE_INFINITY);
        Tensor mask = bias.in(computation, ElementType.F16);
        Tensor sinks = computation.f32(-1, 0, 1, 2);
        double[] expected = computation.compute(stepByStep(q, k, v, mask, sinks, 0.25f, maxBias));
        OpParameters.FlashAttention parameters = new OpParameters.FlashAttention(0.25f, maxBias, 0f, Precision.DEFAULT);
        double[] actual = computation.compute(ops.flashAttention(q, k, v, mask, sinks, parameters));
        assertClose(actual, expected, FLOAT, "seed 1");
    }

    private static double[] byFormula(TestGrid q, TestGrid k, TestGrid v, int length, float scale, float cap) {
        return TestGrid.of(length, HEADS, QUERIES, 1, (i, head, query, _) -> {
                    double sum = 0;
                    double weighted = 0;
                    for (int key = 0; key < KEYS; key++) {
                        double score = 0;
                        for (int j = 0; j < length; j++) {
                            score += q.get(j, query, head, 0) * k.get(j, key, head / 2, 0);
                        }
                        score = cap * Math.tanh(score * scale / cap);
                        sum += Math.exp(score);
                        weighted += Math.exp(score) * v.get(i, key, head / 2, 0);
                    }
                    return weighted / sum;
                })
                .values();
    }

    @ParameterizedTest
    @CsvSource({"F32, F32", "F16, F16", "BF16, F32", "Q8_0, Q8_0", "Q4_0, Q5_1", "F16, Q4_K", "Q6_K, F16"})
    void readsKeysAndValuesOfManyTypesAndCapsTheScores(ElementType keys, ElementType values) {
        Random random = new Random(2);
        int length = Math.max(keys.blockSize(), values.blockSize()) == 256 ? 256 : 32;
        TestGrid q = TestGrid.random(random, length, QUERIES, HEADS, 1);
        Tensor k = TestGrid.random(random, length, KEYS, 2, 1).in(computation, keys);
        Tensor v = TestGrid.random(random, length, KEYS, 2, 1).in(computation, values);
        double[] actual = computation.compute(ops.flashAttention(q.in(computation), k, v, null, 0.2f, 0f, 3f));
        TestGrid k2 = TestGrid.rounded(computation, k);
        TestGrid v2 = TestGrid.rounded(computation, v);
        assertClose(actual, byFormula(q, k2, v2, length, 0.2f, 3f), FLOAT, "seed 2");
    }

    @Test
    void readsHeadsThatAreStoredBetweenTokens() {
        Random random = new Random(3);
        TestGrid q = TestGrid.random(random, 32, QUERIES, HEADS, 1);
        TestGrid k = TestGrid.random(random, 32, KEYS, 2, 1);
        TestGrid v = TestGrid.random(random, 32, KEYS, 2, 1);
        Tensor result = ops.flashAttention(
                q.permuted(computation, ElementType.F32),
                k.permuted(computation, ElementType.F16),
                v.permuted(computation, ElementType.F16),
                null,
                0.2f,
                0f,
                3f);
        assertClose(computation.compute(result), byFormula(q, k, v, 32, 0.2f, 3f), FLOAT, "seed 3");
    }

    @Test
    void aMaskedKeyTakesNoPartWhateverItHolds() {
        Tensor q = computation.f32(new double[] {1, 1}, 2, 1);
        Tensor k = computation.f32(new double[] {1, 0, Double.NaN, 1, 0, 1}, 2, 3);
        Tensor v = computation.f32(new double[] {2, Double.POSITIVE_INFINITY, 4}, 1, 3);
        Tensor mask = computation.leaf(ElementType.F16, new double[] {0, NEGATIVE_INFINITY, 0}, 3, 1);
        Tensor result = ops.flashAttention(q, k, v, mask, 1f, 0f, 0f);
        assertClose(computation.compute(result), new double[] {3}, FLOAT);
    }

    @Test
    void aQueryWithoutAnyKeyGetsZeros() {
        Random random = new Random(4);
        Tensor q = TestGrid.random(random, 4, 2, 1, 1).in(computation);
        Tensor k = TestGrid.random(random, 4, 2, 1, 1).in(computation);
        Tensor v = computation.f32(new double[] {5, 7}, 1, 2);
        double[] masks = {NEGATIVE_INFINITY, NEGATIVE_INFINITY, NEGATIVE_INFINITY, 0};
        Tensor mask = computation.leaf(ElementType.F16, masks, 2, 2);
        assertThat(computation.compute(ops.flashAttention(q, k, v, mask, 1f, 0f, 0f)))
                .containsExactly(0, 7);
    }

    @Test
    void thereMayBeNoKeysAtAll() {
        Tensor q = computation.f32(new double[] {1, 2}, 2, 1);
        Tensor none = ops.tensor(ElementType.F32, 2, 0);
        assertThat(computation.compute(ops.flashAttention(q, none, none, null, 1f, 0f, 0f)))
                .containsExactly(0, 0);
    }

    @Test
    void notANumberInAQuerySpoilsItsResultOnly() {
        Tensor q = computation.f32(new double[] {Double.NaN, 1}, 1, 2);
        Tensor k = computation.f32(new double[] {1, 1}, 1, 2);
        Tensor v = computation.f32(new double[] {2, 4}, 1, 2);
        assertThat(computation.compute(ops.flashAttention(q, k, v, null, 1f, 0f, 0f)))
                .containsExactly(Double.NaN, 3);
    }
}
