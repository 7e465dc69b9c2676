package dev.stowage.picture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PictureScaleTest {

    @ParameterizedTest
    @CsvSource({"0, 1", "1, 1", "2, 2", "3, 5", "5, 5", "6, 10", "10, 10", "11, 20", "201, 500", "5000001, 10000000"})
    void stepsAreOneTwoOrFiveTimesAPowerOfTen(long atLeast, long step) {
        assertThat(PictureScale.roundStep(atLeast)).isEqualTo(step);
    }

    @ParameterizedTest
    @CsvSource({"500000000000000001", "9223372036854775807"})
    void theLargestStepIsThatOfALong(long atLeast) {
        assertThat(PictureScale.roundStep(atLeast)).isEqualTo(1_000_000_000_000_000_000L);
    }
}
