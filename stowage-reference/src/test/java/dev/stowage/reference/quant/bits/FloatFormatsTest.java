package dev.stowage.reference.quant.bits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class FloatFormatsTest {

    private static final float SMALLEST_HALF = 0x1p-24f;
    private static final float LARGEST_HALF = 65504;

    private static boolean isNaNHalf(int half) {
        return (half & 0x7C00) == 0x7C00 && (half & 0x3FF) != 0;
    }

    @Test
    void keepsEveryHalf() {
        for (int half = 0; half < 1 << 16; half++) {
            if (!isNaNHalf(half)) {
                assertThat(FloatFormats.toHalf(FloatFormats.fromHalf((short) half)))
                        .isEqualTo((short) half);
            }
        }
    }

    @Test
    void keepsEveryBrainFloatButMakesNaNQuiet() {
        for (int brain = 0; brain < 1 << 16; brain++) {
            float value = FloatFormats.fromBrainFloat((short) brain);
            int expected = Float.isNaN(value) ? brain | 0x40 : brain;
            assertThat(FloatFormats.toBrainFloat(value)).isEqualTo((short) expected);
        }
    }

    @Test
    void roundsToTheNearestHalf() {
        for (long seed = 0; seed < 20_000; seed++) {
            Random random = new Random(seed);
            float value = (float) (random.nextGaussian() * Math.pow(2, random.nextInt(44) - 28));
            short half = FloatFormats.toHalf(value);
            double error = Math.abs((double) FloatFormats.fromHalf(half) - value);
            if (Math.abs(value) < LARGEST_HALF) {
                double below = Math.abs((double) FloatFormats.fromHalf((short) (half - 1)) - value);
                double above = Math.abs((double) FloatFormats.fromHalf((short) (half + 1)) - value);
                // Next to zero a neighbour in bits may be one of the other sign or NaN: neither is nearer.
                assertThat(below < error || above < error).as("seed %d", seed).isFalse();
            }
        }
    }

    @Test
    void roundsHalvesToTheEvenOne() {
        assertThat(FloatFormats.fromHalf(FloatFormats.toHalf(1 + 0x1p-11f))).isEqualTo(1f);
        assertThat(FloatFormats.fromHalf(FloatFormats.toHalf(1 + 0x3p-11f))).isEqualTo(1 + 0x1p-9f);
        assertThat(FloatFormats.fromBrainFloat(FloatFormats.toBrainFloat(1 + 0x1p-8f)))
                .isEqualTo(1f);
        assertThat(FloatFormats.fromBrainFloat(FloatFormats.toBrainFloat(1 + 0x3p-8f)))
                .isEqualTo(1 + 0x1p-6f);
    }

    @Test
    void keepsSubnormalsAndLetsTheSmallestVanish() {
        assertThat(FloatFormats.fromHalf(FloatFormats.toHalf(3 * SMALLEST_HALF)))
                .isEqualTo(3 * SMALLEST_HALF);
        assertThat(FloatFormats.toHalf(SMALLEST_HALF / 2)).isEqualTo((short) 0);
        assertThat(FloatFormats.toHalf(-SMALLEST_HALF / 2)).isEqualTo((short) 0x8000);
        assertThat(FloatFormats.fromBrainFloat(FloatFormats.toBrainFloat(0x1p-133f)))
                .isEqualTo(0x1p-133f);
    }

    @Test
    void goesToInfinityBeyondTheLargest() {
        assertThat(FloatFormats.fromHalf(FloatFormats.toHalf(Math.nextDown(65520f))))
                .isEqualTo(LARGEST_HALF);
        assertThat(FloatFormats.fromHalf(FloatFormats.toHalf(65520f))).isInfinite();
        assertThat(FloatFormats.fromBrainFloat(FloatFormats.toBrainFloat(-Float.MAX_VALUE)))
                .isEqualTo(Float.NEGATIVE_INFINITY);
    }

    @Test
    void keepsOnlyTheSignOfNaNInAHalf() {
        assertThat(FloatFormats.toHalf(Float.intBitsToFloat(0x7F80_0001))).isEqualTo((short) 0x7E00);
        assertThat(FloatFormats.toHalf(Float.intBitsToFloat(0xFFFF_FFFF))).isEqualTo((short) 0xFE00);
    }

    @Test
    void makesNaNOfAHalfQuiet() {
        assertThat(Float.floatToRawIntBits(FloatFormats.fromHalf((short) 0x7C01)))
                .isEqualTo(0x7FC0_2000);
        assertThat(Float.floatToRawIntBits(FloatFormats.fromHalf((short) 0xFE03)))
                .isEqualTo(0xFFC0_6000);
    }
}
