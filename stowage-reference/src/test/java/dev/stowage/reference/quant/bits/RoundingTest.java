package dev.stowage.reference.quant.bits;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RoundingTest {

    private static float any(Random random) {
        float value = (random.nextFloat() - 0.5f) * (1 << random.nextInt(22));
        return random.nextBoolean() ? Math.round(value * 2) / 2f : value;
    }

    private static int rounded(float value, RoundingMode mode) {
        return new BigDecimal(value).setScale(0, mode).intValueExact();
    }

    @Test
    void nearestRoundsHalvesToEven() {
        for (long seed = 0; seed < 10_000; seed++) {
            float value = any(new Random(seed));
            assertThat(Rounding.nearest(value)).as("seed %d", seed).isEqualTo(rounded(value, RoundingMode.HALF_EVEN));
        }
    }

    @Test
    void halfAwayRoundsHalvesAwayFromZero() {
        for (long seed = 0; seed < 10_000; seed++) {
            float value = any(new Random(seed));
            assertThat(Rounding.halfAway(value)).as("seed %d", seed).isEqualTo(rounded(value, RoundingMode.HALF_UP));
        }
    }

    @Test
    void halfAwayIsNotFooledByTheNumberBelowAHalf() {
        assertThat(Rounding.halfAway(Math.nextDown(0.5f))).isZero();
        assertThat(Rounding.halfAway(-Math.nextDown(0.5f))).isZero();
    }

    @Test
    void truncateCutsOffTheFraction() {
        for (long seed = 0; seed < 10_000; seed++) {
            float value = any(new Random(seed));
            assertThat(Rounding.truncate(value)).as("seed %d", seed).isEqualTo(rounded(value, RoundingMode.DOWN));
        }
    }

    @ParameterizedTest
    @ValueSource(floats = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, 0x1p31f, -0x1p32f})
    void whatNoIntHoldsBecomesTheLowestInt(float value) {
        assertThat(Rounding.truncate(value)).isEqualTo(Integer.MIN_VALUE);
        assertThat(Rounding.halfAway(value)).isEqualTo(Integer.MIN_VALUE);
    }

    @Test
    void nearestStaysWithinItsLimits() {
        assertThat(Rounding.nearest(7.6f, 0, 7)).isEqualTo(7);
        assertThat(Rounding.nearest(-3, 0, 7)).isZero();
        assertThat(Rounding.nearest(Float.NaN, 0, 7)).isBetween(0, 7);
    }
}
