package dev.stowage.reference.kernel.attention;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static java.lang.Double.NEGATIVE_INFINITY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AttentionKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    /** The softmax of so many scores, one of them maybe without a place in the result. */
    private static double softMax(int count, int wanted, IntToDoubleFunction score, double sink) {
        double sum = Math.exp(sink);
        for (int i = 0; i < count; i++) {
            sum += Math.exp(score.applyAsDouble(i));
        }
        return Math.exp(score.applyAsDouble(wanted)) / sum;
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16"})
    void addsTheMaskRepeatedOverHeadsAndBatches(ElementType type) {
        Random random = new Random(1);
        TestGrid scores = TestGrid.random(random, 5, 3, 4, 2);
        TestGrid mask = TestGrid.random(random, 5, 4, 2, 1);
        mask.set(1, 2, 0, 0, NEGATIVE_INFINITY);
        Tensor result = ops.softMax(scores.in(computation), mask.in(computation, type), 0.5f, 0f);
        TestGrid expected = TestGrid.of(
                5,
                3,
                4,
                2,
                (i0, i1, i2, i3) -> softMax(
                        5, i0, i -> 0.5 * scores.get(i, i1, i2, i3) + mask.get(i, i1, i2 % 2, 0), NEGATIVE_INFINITY));
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 1");
    }

    /** With eight heads and a bias of 8 the slopes are halves, quarters and so on; more heads get those in between. */
    @Test
    void theSlopeOfAHeadMultipliesTheMask() {
        double root = Math.sqrt(0.5);
        double[] slopes = {
            0.5, 0.25, 1 / 8.0, 1 / 16.0, 1 / 32.0, 1 / 64.0, 1 / 128.0, 1 / 256.0, root, root / 2, root / 4
        };
        Random random = new Random(2);
        TestGrid scores = TestGrid.random(random, 4, 1, 11, 1);
        TestGrid mask = TestGrid.random(random, 4, 1, 1, 1);
        Tensor result = ops.softMax(scores.in(computation), mask.in(computation), 1f, 8f);
        TestGrid expected = TestGrid.of(
                4,
                1,
                11,
                1,
                (i0, _, head, _) -> softMax(
                        4,
                        i0,
                        i -> scores.get(i, 0, head, 0) + slopes[head] * mask.get(i, 0, 0, 0),
                        NEGATIVE_INFINITY));
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 2");
    }

    @Test
    void aSinkTakesPartInTheSumAndHasNoPlaceInTheResult() {
        Random random = new Random(3);
        TestGrid scores = TestGrid.random(random, 3, 2, 2, 1);
        double[] sinks = {0.5, 4};
        Tensor result = ops.softMax(scores.in(computation), null, computation.f32(sinks), 2f, 0f);
        TestGrid expected = TestGrid.of(
                3, 2, 2, 1, (i0, i1, head, _) -> softMax(3, i0, i -> 2 * scores.get(i, i1, head, 0), sinks[head]));
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 3");
    }

    @Test
    void scoresFarFromZeroDoNotOverflow() {
        Tensor result = ops.softMax(computation.f32(3e38, 3e38, -3e38));
        assertClose(computation.compute(result), new double[] {0.5, 0.5, 0}, 0);
    }

    @Test
    void aRowThatIsMaskedAltogetherIsNotANumber() {
        Tensor mask = computation.f32(NEGATIVE_INFINITY, NEGATIVE_INFINITY);
        Tensor result = ops.softMax(computation.f32(1, 2), mask, 1f, 0f);
        assertThat(computation.compute(result)).containsOnly(Double.NaN);
    }

    @Test
    void aRowThatIsMaskedAltogetherButHasASinkIsZero() {
        Tensor mask = computation.f32(NEGATIVE_INFINITY, NEGATIVE_INFINITY);
        Tensor result = ops.softMax(computation.f32(1, 2), mask, computation.f32(new double[] {3}, 1), 1f, 0f);
        assertThat(computation.compute(result)).containsOnly(0);
    }

    @Test
    void notANumberAndPositiveInfinitySpoilTheirRowAndNoOther() {
        Tensor scores = computation.f32(
                new double[] {1, Double.NaN, 1, Double.POSITIVE_INFINITY, 2, 2, NEGATIVE_INFINITY, 7}, 2, 4);
        double[] expected = {Double.NaN, Double.NaN, Double.NaN, Double.NaN, 0.5, 0.5, 0, 1};
        assertClose(computation.compute(ops.softMax(scores)), expected, 0);
    }

    @Test
    void theResultMayOverwriteTheScores() {
        double[] scores = TestGrid.random(new Random(4), 6, 2, 2, 1).values();
        Tensor apart = computation.f32(scores, 6, 2, 2);
        double[] expected = computation.compute(ops.softMax(apart));
        Tensor over = computation.f32(scores, 6, 2, 2);
        assertThat(computation.computeOver(over, ops.softMax(over))).containsExactly(expected);
        Tensor within = computation.f32(scores, 6, 2, 2);
        assertThat(computation.compute(ops.softMaxInplace(within))).containsExactly(expected);
    }

    @Test
    void theResultMayOverwriteAMaskOfTheSameShape() {
        Random random = new Random(6);
        double[] scores = TestGrid.random(random, 6, 2, 2, 1).values();
        double[] masks = TestGrid.random(random, 6, 2, 2, 1).values();
        Tensor apart = computation.f32(masks, 6, 2, 2);
        double[] expected = computation.compute(ops.softMax(computation.f32(scores, 6, 2, 2), apart, 0.5f, 4f));
        Tensor over = computation.f32(masks, 6, 2, 2);
        Tensor result = ops.softMax(computation.f32(scores, 6, 2, 2), over, 0.5f, 4f);
        assertThat(computation.computeOver(over, result)).as("seed 6").containsExactly(expected);
    }

    @Test
    void roundsToTheTypeOfTheScores() {
        Tensor scores = computation.leaf(ElementType.F16, new double[] {0, 0, 0}, 3);
        double third = Float.float16ToFloat(Float.floatToFloat16(1 / 3f));
        assertThat(computation.compute(ops.softMax(scores))).containsOnly(third);
        Tensor blocks = computation.leaf(ElementType.Q8_0, new double[64], 64);
        assertClose(computation.compute(ops.softMax(blocks)), TestNumbers.of(64, _ -> 1 / 64.0), 1e-4);
    }

    @Test
    void saysWhyWholeNumbersHaveNoSoftmax() {
        Tensor node = ops.softMax(ops.tensor(ElementType.I32, 4));
        assertThat(new ReferenceProvider().devices().getFirst().supports(node).reason())
                .contains("fractions")
                .contains("i32");
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16", "Q8_0"})
    void theIndexerAddsUpTheMatchesOfAllHeadsThatArePositive(ElementType type) {
        Random random = new Random(5);
        TestGrid q = TestGrid.random(random, 32, 3, 2, 2);
        Tensor keys = TestGrid.random(random, 32, 1, 4, 2).in(computation, type);
        TestGrid weights = TestGrid.random(random, 3, 2, 1, 2);
        TestGrid mask = TestGrid.random(random, 4, 2, 1, 1);
        mask.set(3, 0, 0, 0, NEGATIVE_INFINITY);
        Tensor result = ops.lightningIndexer(
                q.in(computation), keys, weights.in(computation), mask.in(computation, ElementType.F16));
        double[] actual = computation.compute(result);
        TestGrid k = TestGrid.rounded(computation, keys);
        TestGrid expected = TestGrid.of(4, 2, 1, 2, (key, token, _, batch) -> {
            double score = mask.get(key, token, 0, 0);
            for (int head = 0; head < 3; head++) {
                double match = 0;
                for (int i = 0; i < 32; i++) {
                    match += q.get(i, head, token, batch) * k.get(i, 0, key, batch);
                }
                score += Math.max(0, match) * weights.get(head, token, 0, batch);
            }
            return score;
        });
        assertClose(actual, expected.values(), FLOAT, "seed 5");
    }

    @Test
    void theIndexerTakesAMatchThatIsNotANumberForNone() {
        Tensor queries = computation.f32(new double[] {Double.NaN, 1, 1, 1}, 2, 2, 1);
        Tensor keys = computation.f32(new double[] {1, 2}, 2, 1, 1);
        Tensor weights = computation.f32(new double[] {10, 100}, 2, 1);
        Tensor mask = computation.leaf(ElementType.F16, new double[] {0.5}, 1, 1);
        assertClose(
                computation.compute(ops.lightningIndexer(queries, keys, weights, mask)), new double[] {300.5}, FLOAT);
    }
}
