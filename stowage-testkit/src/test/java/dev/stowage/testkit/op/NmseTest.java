package dev.stowage.testkit.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class NmseTest {

    @Test
    void isTheSumOfSquaredDifferencesOverTheSumOfSquares() {
        Nmse nmse = Nmse.of(new double[] {3, 4}, new double[] {3, 5});

        assertThat(nmse.error()).isCloseTo(1.0 / 25, within(1e-15));
        assertThat(nmse.worst()).isEqualTo(1);
    }

    @Test
    void isZeroForEqualNumbersNanAndInfinitiesIncluded() {
        double[] numbers = {1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, 0.0};
        double[] same = {1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0};

        assertThat(Nmse.of(numbers, same).error()).isZero();
        assertThat(Nmse.of(numbers, same).isWithin(0)).isTrue();
    }

    @Test
    void isInfiniteWhereOnlyOneIsANumber() {
        assertThat(Nmse.of(new double[] {1, Double.NaN}, new double[] {1, 0}).error())
                .isInfinite();
        assertThat(Nmse.of(new double[] {1, 0}, new double[] {1, Double.NaN}).error())
                .isInfinite();
        assertThat(Nmse.of(new double[] {Double.POSITIVE_INFINITY}, new double[] {Double.NEGATIVE_INFINITY})
                        .error())
                .isInfinite();
    }

    @Test
    void isInfiniteForANumberInPlaceOfZeros() {
        assertThat(Nmse.of(new double[] {0, 0}, new double[] {0, 1e-9}).isWithin(1e-3))
                .isFalse();
    }

    @Test
    void oneElementFarOffIsTooMuchHoweverManyAreRight() {
        double[] expected = new double[1_000_000];
        Arrays.fill(expected, 1);
        double[] actual = expected.clone();
        actual[77] = 0;

        Nmse nmse = Nmse.of(expected, actual);

        assertThat(nmse.error()).isLessThan(1e-5);
        assertThat(nmse.isWithin(1e-5)).isFalse();
    }

    @Test
    void rowsComparedAsSetsMayBeInAnyOrderButNotMixed() {
        double[] expected = {1, 2, 3, 4};

        assertThat(Nmse.ofSets(expected, new double[] {2, 1, 4, 3}, 2).error()).isZero();
        assertThat(Nmse.ofSets(expected, new double[] {1, 3, 2, 4}, 2).error()).isPositive();
    }

    @Test
    void resultsOfDifferentLengthCannotBeCompared() {
        assertThatThrownBy(() -> Nmse.of(new double[1], new double[2])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void namesTheElementThatIsFurthestOff() {
        assertThat(Nmse.of(new double[] {1, 2, 3}, new double[] {1, 2.5, 3.1}))
                .hasToString("NMSE 0.0186, furthest off at element 1: expected 2.0, found 2.5");
    }
}
