package dev.stowage.reference.quant.search;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class NonLinearLevelsTest {

    @Test
    void levelsAscend() {
        for (int index = 1; index < 16; index++) {
            assertThat(NonLinearLevels.level(index)).isGreaterThan(NonLinearLevels.level(index - 1));
        }
    }

    @Test
    void noOtherLevelIsNearer() {
        for (long seed = 0; seed < 5_000; seed++) {
            float value = (new Random(seed).nextFloat() - 0.5f) * 300;
            float error = Math.abs(NonLinearLevels.level(NonLinearLevels.nearest(value)) - value);
            for (int index = 0; index < 16; index++) {
                assertThat(Math.abs(NonLinearLevels.level(index) - value))
                        .as("seed %d", seed)
                        .isGreaterThanOrEqualTo(error);
            }
        }
    }

    @Test
    void halfwayItIsTheUpperLevel() {
        assertThat(NonLinearLevels.nearest(-4.5f)).isEqualTo(8);
    }

    @Test
    void anyNumberHasALevel() {
        assertThat(NonLinearLevels.nearest(Float.NEGATIVE_INFINITY)).isZero();
        assertThat(NonLinearLevels.nearest(Float.POSITIVE_INFINITY)).isEqualTo(15);
        assertThat(NonLinearLevels.nearest(Float.NaN)).isBetween(0, 15);
    }
}
