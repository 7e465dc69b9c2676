package dev.stowage.reference.quant;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class Curve4Test {

    @Test
    void levelsAscend() {
        for (int index = 1; index < 16; index++) {
            assertThat(Curve4.level(index)).isGreaterThan(Curve4.level(index - 1));
        }
    }

    @Test
    void noOtherLevelIsNearer() {
        for (long seed = 0; seed < 5_000; seed++) {
            float value = (new Random(seed).nextFloat() - 0.5f) * 300;
            float error = Math.abs(Curve4.level(Curve4.nearest(value)) - value);
            for (int index = 0; index < 16; index++) {
                assertThat(Math.abs(Curve4.level(index) - value))
                        .as("seed %d", seed)
                        .isGreaterThanOrEqualTo(error);
            }
        }
    }

    @Test
    void halfwayItIsTheUpperLevel() {
        assertThat(Curve4.nearest(-4.5f)).isEqualTo(8);
    }

    @Test
    void anyNumberHasALevel() {
        assertThat(Curve4.nearest(Float.NEGATIVE_INFINITY)).isZero();
        assertThat(Curve4.nearest(Float.POSITIVE_INFINITY)).isEqualTo(15);
        assertThat(Curve4.nearest(Float.NaN)).isBetween(0, 15);
    }
}
