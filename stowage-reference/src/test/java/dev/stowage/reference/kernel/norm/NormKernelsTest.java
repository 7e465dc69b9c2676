package dev.stowage.reference.kernel.norm;

import static dev.stowage.reference.kernel.TestNumbers.BRAIN;
import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static java.lang.Double.NaN;
import static java.lang.Double.POSITIVE_INFINITY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NormKernelsTest {

    private static final float EPSILON = 0.25f;

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @Test
    void bringsARowToMeanZeroAndVarianceOne() {
        Tensor a = computation.f32(new double[] {1, 3, 5, 7, 2, 2, 2, 2}, 4, 2);
        // mean 4, variance (9 + 1 + 1 + 9) / 4 = 5; the second row has no variance
        double root = Math.sqrt(5.25);
        double[] expected = {-3 / root, -1 / root, 1 / root, 3 / root, 0, 0, 0, 0};
        assertClose(computation.compute(ops.norm(a, EPSILON)), expected, FLOAT);
    }

    @Test
    void bringsARowToMeanSquareOne() {
        Tensor a = computation.f32(new double[] {1, 3, 5, 7, 0, 0, 0, 0}, 4, 2);
        // mean square (1 + 9 + 25 + 49) / 4 = 21
        double root = Math.sqrt(21.25);
        double[] expected = {1 / root, 3 / root, 5 / root, 7 / root, 0, 0, 0, 0};
        assertClose(computation.compute(ops.rmsNorm(a, EPSILON)), expected, FLOAT);
    }

    @Test
    void bringsARowToLengthOneUnlessItIsShorterThanEpsilon() {
        Tensor a = computation.f32(new double[] {3, 4, 0.03, 0.04}, 2, 2);
        double[] expected = {0.6, 0.8, 0.12, 0.16};
        assertClose(computation.compute(ops.l2Norm(a, EPSILON)), expected, FLOAT);
    }

    @Test
    void dividesByZeroWhereNothingKeepsItFromThat() {
        Tensor zeros = computation.f32(0, 0);
        assertThat(computation.compute(ops.norm(zeros, 0))).containsOnly(NaN);
        assertThat(computation.compute(ops.rmsNorm(zeros, 0))).containsOnly(NaN);
        assertThat(computation.compute(ops.l2Norm(zeros, 0))).containsOnly(NaN);
    }

    @Test
    void spreadsNanOverItsRowOnly() {
        Tensor a = computation.f32(new double[] {NaN, 1, 3, 4}, 2, 2);
        assertClose(
                computation.compute(ops.rmsNorm(a, 0)),
                new double[] {NaN, NaN, 3 / Math.sqrt(12.5), 4 / Math.sqrt(12.5)},
                FLOAT);
    }

    @Test
    void takesTheLengthOfARowWithNanForEpsilon() {
        Tensor a = computation.f32(NaN, 1);
        assertClose(computation.compute(ops.l2Norm(a, EPSILON)), new double[] {NaN, 4}, FLOAT);
    }

    @Test
    void shrinksEverythingBesideInfinityToZero() {
        Tensor a = computation.f32(POSITIVE_INFINITY, 5);
        assertThat(computation.compute(ops.rmsNorm(a, EPSILON))).containsExactly(NaN, 0);
    }

    @Test
    void readsRowsThroughTheirStrides() {
        Tensor columns = ops.transpose(computation.f32(new double[] {3, 0, 4, 2}, 2, 2));
        assertClose(computation.compute(ops.l2Norm(columns, EPSILON)), new double[] {0.6, 0.8, 0, 1}, FLOAT);
    }

    @Test
    void writesOverItsOperand() {
        Tensor a = computation.f32(3, 4);
        Tensor result = ops.l2NormInplace(a, EPSILON);
        assertClose(computation.compute(result), new double[] {0.6, 0.8}, FLOAT);
        assertClose(computation.read(a), new double[] {0.6, 0.8}, FLOAT);
    }

    @Test
    void computesBrainFloats() {
        Tensor a = computation.leaf(ElementType.BF16, new double[] {3, 4}, 2);
        assertClose(computation.compute(ops.l2Norm(a, EPSILON)), new double[] {0.6, 0.8}, BRAIN);
    }

    @ParameterizedTest
    @CsvSource({"6, 1", "6, 2", "6, 3", "6, 6", "7, 3", "5, 4", "2, 4"})
    void normsGroupsOfChannelsOfWhichTheLastMayBeSmaller(int channels, int groups) {
        int image = 3 * 2 * channels;
        double[] values = TestNumbers.simple(new Random(7), image * 2);
        Tensor result = ops.groupNorm(computation.f32(values, 3, 2, channels, 2), groups, EPSILON);
        int perGroup = (channels + groups - 1) / groups;
        double[] expected = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            int group = i % image / 6 / perGroup;
            int from = i / image * image + group * perGroup * 6;
            int to = i / image * image + Math.min((group + 1) * perGroup, channels) * 6;
            expected[i] = normed(values, from, to, i);
        }
        assertClose(computation.compute(result), expected, FLOAT, "seed 7");
    }

    private static double normed(double[] values, int from, int to, int at) {
        double mean = 0;
        for (int i = from; i < to; i++) {
            mean += values[i] / (to - from);
        }
        double variance = 0;
        for (int i = from; i < to; i++) {
            variance += (values[i] - mean) * (values[i] - mean) / (to - from);
        }
        return (values[at] - mean) / Math.sqrt(variance + EPSILON);
    }

    @Test
    void normsGroupsInPlace() {
        Tensor a = computation.f32(new double[] {1, 3, 10, 10}, 1, 1, 4);
        double root = Math.sqrt(1.25);
        computation.compute(ops.groupNormInplace(a, 2, EPSILON));
        assertClose(computation.read(a), new double[] {-1 / root, 1 / root, 0, 0}, FLOAT);
    }
}
