package dev.stowage.reference.kernel.matrix;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.DeviceException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.reference.quant.DotType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.MulMatHint;
import dev.stowage.tensor.Precision;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class MatrixKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    static Stream<ElementType> typesOfWeights() {
        return Arrays.stream(ElementType.values()).filter(type -> !type.isInteger());
    }

    private static TestGrid product(TestGrid a, TestGrid b, int[] sizes, int sharing2, int sharing3, int length) {
        return TestGrid.of(sizes[0], sizes[1], sizes[2], sizes[3], (m, n, i2, i3) -> {
            double sum = 0;
            for (int k = 0; k < length; k++) {
                sum += a.get(k, m, i2 / sharing2, i3 / sharing3) * b.get(k, n, i2, i3);
            }
            return sum;
        });
    }

    @Test
    void aMatrixOfTheFirstServesSeveralNeighboursOfTheSecond() {
        Random random = new Random(1);
        TestGrid a = TestGrid.random(random, 5, 3, 2, 2);
        TestGrid b = TestGrid.random(random, 5, 4, 6, 4);
        double[] result = computation.compute(ops.mulMat(a.in(computation), b.in(computation)));
        double[] expected = product(a, b, new int[] {3, 4, 6, 4}, 3, 2, 5).values();
        assertClose(result, expected, FLOAT, "seed 1");
    }

    @Test
    void multipliesViewsWithGapsAndInAnotherOrder() {
        Random random = new Random(2);
        TestGrid a = TestGrid.random(random, 4, 3, 2, 1);
        TestGrid b = TestGrid.random(random, 4, 5, 2, 1);
        Tensor first = a.permuted(computation, ElementType.F16);
        Tensor second = b.permuted(computation, ElementType.F32);
        double[] expected = product(a, b, new int[] {3, 5, 2, 1}, 1, 1, 4).values();
        assertClose(computation.compute(ops.mulMat(first, second)), expected, FLOAT, "seed 2");
    }

    @ParameterizedTest
    @MethodSource("typesOfWeights")
    void multipliesWhatWeightsOfEveryTypeStandFor(ElementType type) {
        Random random = new Random(3);
        int length = 2 * type.blockSize();
        Tensor weights = TestGrid.random(random, length, 3, 2, 1).in(computation, type);
        TestGrid b = TestGrid.random(random, length, 2, 4, 1);
        Tensor met = meeting(b, type);
        double[] result = computation.compute(ops.mulMat(weights, b.in(computation)));
        TestGrid a = TestGrid.rounded(computation, weights);
        double[] expected = product(a, TestGrid.rounded(computation, met), new int[] {3, 2, 4, 1}, 2, 1, length)
                .values();
        assertClose(result, expected, FLOAT, "seed 3");
    }

    /** What meets weights of that type: numbers as they come out of the type that goes with it. */
    private Tensor meeting(TestGrid grid, ElementType weights) {
        return grid.in(computation, DotType.of(weights));
    }

    @Test
    void numbersThatMeetQuantisedWeightsAreRoundedToEightBits() {
        assertThat(DotType.of(ElementType.F32)).isEqualTo(ElementType.F32);
        assertThat(DotType.of(ElementType.Q4_0)).isEqualTo(ElementType.Q8_0);
        assertThat(DotType.of(ElementType.Q5_1)).isEqualTo(ElementType.Q8_1);
        assertThat(DotType.of(ElementType.Q6_K)).isEqualTo(ElementType.Q8_K);
        assertThat(typesOfWeights().filter(ElementType::isQuantized))
                .filteredOn(type -> !List.of(ElementType.Q8_1, ElementType.Q8_K).contains(type))
                .allSatisfy(type -> assertThat(DotType.of(type).blockSize()).isGreaterThan(1));
    }

    @Test
    void aRowWithInfinitiesIsNotRounded() {
        double[] row = new double[32];
        row[3] = Double.POSITIVE_INFINITY;
        row[4] = 0.1f;
        assertThat(DotType.round(row, ElementType.Q8_0)).isEqualTo(row);
    }

    @Test
    void multipliesQuantisedByQuantised() {
        Random random = new Random(4);
        Tensor first = TestGrid.random(random, 64, 3, 1, 1).in(computation, ElementType.Q8_0);
        Tensor second = TestGrid.random(random, 64, 2, 1, 1).in(computation, ElementType.Q8_0);
        double[] result = computation.compute(ops.mulMat(first, second));
        TestGrid a = TestGrid.rounded(computation, first);
        TestGrid b = TestGrid.rounded(computation, second);
        assertClose(result, product(a, b, new int[] {3, 2, 1, 1}, 1, 1, 64).values(), FLOAT, "seed 4");
    }

    @Test
    void aHintDoesNotChangeTheProduct() {
        TestGrid hadamard = TestGrid.of(2, 2, 1, 1, (i0, i1, _, _) -> (i0 & i1) == 0 ? 1 : -1);
        Tensor b = computation.f32(3, 5);
        Tensor product = ops.mulMat(hadamard.in(computation), b, Precision.DEFAULT, MulMatHint.FIRST_IS_HADAMARD);
        assertClose(computation.compute(product), new double[] {8, -2}, 0);
    }

    @Test
    void theSumOfNoOuterProductsIsZero() {
        Tensor product = ops.outProd(ops.tensor(ElementType.F32, 3, 0), ops.tensor(ElementType.F32, 2, 0));
        assertClose(computation.compute(product), new double[6], 0);
    }

    @Test
    void aProductWithoutElementsIsLeftAlone() {
        Tensor product = ops.mulMat(ops.tensor(ElementType.F32, 4, 3), ops.tensor(ElementType.F32, 4, 0));
        assertThat(computation.compute(product)).isEmpty();
    }

    @Test
    void notANumberAndInfinitiesSpoilOnlyTheProductsTheyArePartOf() {
        Tensor a = computation.f32(new double[] {1, 2, Double.POSITIVE_INFINITY, 1, Double.NaN, 0}, 2, 3);
        Tensor b = computation.f32(new double[] {1, 1, 0, 1}, 2, 2);
        double[] expected = {3, Double.POSITIVE_INFINITY, Double.NaN, 2, Double.NaN, Double.NaN};
        assertClose(computation.compute(ops.mulMat(a, b)), expected, 0);
    }

    @ParameterizedTest
    @MethodSource("typesOfWeights")
    void eachTokenIsMultipliedWithTheMatricesItsIdsName(ElementType type) {
        Random random = new Random(5);
        int length = type.blockSize() * (type.isQuantized() ? 1 : 6);
        Tensor weights = TestGrid.random(random, length, 3, 4, 1).in(computation, type);
        TestGrid b = TestGrid.random(random, length, 2, 3, 1);
        int[][] ids = {{3, 0, 1, 3}, {2, 2, 0, 1}, {0, 3, 2, 1}};
        Tensor idTensor = computation.leaf(
                ElementType.I32,
                Arrays.stream(ids).flatMapToInt(Arrays::stream).asDoubleStream().toArray(),
                4,
                3);
        Tensor meeting = meeting(b, type);
        double[] result = computation.compute(ops.mulMatId(weights, b.in(computation), idTensor));
        TestGrid a = TestGrid.rounded(computation, weights);
        TestGrid met = TestGrid.rounded(computation, meeting);
        TestGrid expected = TestGrid.of(3, 4, 3, 1, (m, e, t, _) -> {
            double sum = 0;
            for (int k = 0; k < length; k++) {
                sum += a.get(k, m, ids[t][e], 0) * met.get(k, e % 2, t, 0);
            }
            return sum;
        });
        assertClose(result, expected.values(), FLOAT, "seed 5");
    }

    @Test
    void refusesAnIdThatNamesNoMatrix() {
        Tensor product = ops.mulMatId(
                ops.tensor(ElementType.F32, 4, 2, 3),
                ops.tensor(ElementType.F32, 4, 1, 1),
                computation.leaf(ElementType.I32, new double[] {1, 3}, 2, 1));
        assertThatThrownBy(() -> computation.compute(product))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("id 1 of token 0 is 3")
                .hasMessageContaining("matrices 0 to 2");
    }

    @ParameterizedTest
    @MethodSource("typesOfWeights")
    void theOuterProductsOfRowsAddUp(ElementType type) {
        Random random = new Random(6);
        int length = type.blockSize() * (type.isQuantized() ? 1 : 4);
        Tensor first = TestGrid.random(random, length, 5, 2, 1).in(computation, type);
        TestGrid b = TestGrid.random(random, 3, 5, 4, 2);
        double[] result = computation.compute(ops.outProd(first, b.permuted(computation, ElementType.F32)));
        TestGrid a = TestGrid.rounded(computation, first);
        TestGrid expected = TestGrid.of(length, 3, 4, 2, (m, n, i2, i3) -> {
            double sum = 0;
            for (int k = 0; k < 5; k++) {
                sum += a.get(m, k, i2 / 2, 0) * b.get(n, k, i2, i3);
            }
            return sum;
        });
        assertClose(result, expected.values(), FLOAT, "seed 6");
    }

    @Test
    void theSolutionOfATriangularSystemMultipliedBackGivesTheRightSide() {
        Random random = new Random(7);
        // What is above the diagonal must not matter.
        TestGrid a =
                TestGrid.of(4, 4, 2, 2, (i0, i1, _, _) -> i0 == i1 ? 1 + random.nextInt(3) : random.nextGaussian());
        TestGrid b = TestGrid.random(random, 3, 4, 2, 2);
        double[] x = computation.compute(ops.solveTri(a.in(computation), b.in(computation)));
        TestGrid back = TestGrid.of(3, 4, 2, 2, (column, row, i2, i3) -> {
            double sum = 0;
            for (int i = 0; i <= row; i++) {
                sum += (float) a.get(i, row, i2, i3) * x[((i3 * 2 + i2) * 4 + i) * 3 + column];
            }
            return sum;
        });
        assertClose(back.values(), b.values(), 1e-5, "seed 7");
    }

    @Test
    void aZeroOnTheDiagonalGivesWhatDividingByItGives() {
        Tensor a = computation.f32(new double[] {0, 0, 1, 1}, 2, 2);
        Tensor b = computation.f32(new double[] {1, 0, 2, 2}, 2, 2);
        double[] expected = {Double.POSITIVE_INFINITY, Double.NaN, Double.NEGATIVE_INFINITY, Double.NaN};
        assertThat(computation.compute(ops.solveTri(a, b))).containsExactly(expected);
    }
}
