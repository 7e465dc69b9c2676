package dev.stowage.bench.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;

class RoundTimesTest {

    private static final double ROUNDING = 1e-12;

    private static RoundTimes of(Double... seconds) {
        return new RoundTimes("plain", List.of(seconds));
    }

    @Test
    void medianOfAnOddNumberIsTheOneInTheMiddle() {
        assertThat(of(5.0, 1.0, 3.0).median()).isEqualTo(3.0);
    }

    @Test
    void medianOfAnEvenNumberIsHalfwayBetweenTheTwoInTheMiddle() {
        assertThat(of(4.0, 1.0, 2.0, 100.0).median()).isEqualTo(3.0);
    }

    @Test
    void spreadIsTheMiddleHalfAsAPartOfTheMedian() {
        assertThat(of(1.0, 2.0, 3.0, 4.0, 5.0).spread()).isCloseTo((4.0 - 2.0) / 3.0, within(ROUNDING));
    }

    @Test
    void oneRoundHasNoSpread() {
        assertThat(of(7.0).spread()).isZero();
    }

    @Test
    void anOutlierDoesNotMoveTheMedian() {
        assertThat(of(1.0, 1.0, 1.0, 1.0, 50.0).median()).isEqualTo(1.0);
    }

    @Test
    void theFastestHasTheLeastMedianEvenIfAnotherHadTheFastestRound() {
        RoundTimes steady = new RoundTimes("steady", List.of(2.0, 2.0, 2.0));
        RoundTimes lucky = new RoundTimes("lucky", List.of(1.0, 3.0, 3.0));

        assertThat(RoundTimes.fastest(List.of(lucky, steady))).isSameAs(steady);
    }

    @Test
    void refusesToBeWithoutRounds() {
        assertThatThrownBy(() -> new RoundTimes("plain", List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("plain");
    }
}
