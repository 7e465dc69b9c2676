package dev.stowage.testkit.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.tensor.Shape;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FillTest {

    private static final Shape SHAPE = Shape.of(9, 4, 3);

    private static double[] values(Fill fill) {
        return fill.values(SHAPE, new SplittableRandom(7));
    }

    private static double[] row(double[] values, int row) {
        return Arrays.copyOfRange(values, row * 9, row * 9 + 9);
    }

    @Test
    void theSameSourceOfChanceGivesTheSameNumbers() {
        assertThat(values(Fill.gaussian(1))).hasSize(108).isEqualTo(values(Fill.gaussian(1)));
    }

    @Test
    void uniformNumbersStayWithinTheirBounds() {
        assertThat(Arrays.stream(values(Fill.uniform(-2, 3)))).allMatch(x -> x >= -2 && x < 3);
    }

    @Test
    void numbersAreBelowTheirBound() {
        assertThat(Arrays.stream(values(Fill.numbers(5)))).allMatch(x -> x >= 0 && x < 5 && x == Math.rint(x));
    }

    @Test
    void distinctNumbersDoNotRepeatWithinARow() {
        double[] values = values(Fill.distinct(12));

        for (int row = 0; row < 12; row++) {
            assertThat(Arrays.stream(row(values, row))).doesNotHaveDuplicates().allMatch(x -> x >= 0 && x < 12);
        }
    }

    @Test
    void rankedNumbersHaveAClearOrderWithinARow() {
        double[] values = values(Fill.ranked());

        for (int row = 0; row < 12; row++) {
            assertThat(row(values, row)).doesNotHaveDuplicates();
        }
    }

    @Test
    void aMaskLeavesTheFirstOfEachRowVisibleAndHidesSomeOthers() {
        double[] values = values(Fill.mask());

        for (int row = 0; row < 12; row++) {
            assertThat(row(values, row)[0]).isFinite();
        }
        assertThat(values).contains(Double.NEGATIVE_INFINITY);
    }

    @Test
    void aCausalMaskShowsOneMoreFromRowToRow() {
        double[] values = Fill.causal(1).values(Shape.of(4, 2), new SplittableRandom(1));

        double hidden = Double.NEGATIVE_INFINITY;
        assertThat(values).containsExactly(0, 0, hidden, hidden, 0, 0, 0, hidden);
    }

    @Test
    void theRowsOfAHadamardMatrixAreOrthogonalAndOfUnitLength() {
        double[] values = Fill.hadamard().values(Shape.of(8, 8), new SplittableRandom(1));

        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++) {
                double product = 0;
                for (int k = 0; k < 8; k++) {
                    product += values[i * 8 + k] * values[j * 8 + k];
                }
                assertThat(product).isCloseTo(i == j ? 1 : 0, within(1e-12));
            }
        }
    }

    @Test
    void specialNumbersAreAmongOrdinaryOnes() {
        assertThat(Arrays.stream(values(Fill.special())))
                .contains(Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, (double) Float.MIN_VALUE)
                .anyMatch(x -> Double.isFinite(x) && Math.abs(x) > 0.01);
    }

    @Test
    void aTriangularMatrixHasNothingAboveItsDiagonal() {
        double[] values = Fill.triangular().values(Shape.of(5, 5), new SplittableRandom(1));

        for (int i = 0; i < 25; i++) {
            int column = i % 5;
            int row = i / 5;
            if (column > row) {
                assertThat(values[i]).isZero();
            } else if (column == row) {
                assertThat(values[i]).isBetween(1.0, 2.0);
            }
        }
    }
}
