package dev.stowage.reference.quant.bits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SignsTest {

    private static float[] normal(long seed) {
        Random random = new Random(seed);
        float[] floats = new float[Signs.COUNT];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) random.nextGaussian();
        }
        return floats;
    }

    private static float[] joined(int signs, float[] magnitudes) {
        float[] floats = new float[magnitudes.length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = Signs.apply(signs, i, magnitudes[i]);
        }
        return floats;
    }

    @Test
    void signsAndMagnitudesGiveTheElementsAgain() {
        for (long seed = 0; seed < 100; seed++) {
            float[] floats = normal(seed);
            float[] magnitudes = new float[Signs.COUNT];
            int signs = Signs.split(floats, 0, magnitudes, 0);

            assertThat(joined(signs, magnitudes)).as("seed %d", seed).isEqualTo(floats);
        }
    }

    @Test
    void sevenSignsAreEnoughForAnEvenNumber() {
        for (int seven = 0; seven < 128; seven++) {
            assertThat(Integer.bitCount(Signs.fromSeven(seven)) % 2).isZero();
            assertThat(Signs.fromSeven(seven) & 0x7F).isEqualTo(seven);
        }
    }

    @Test
    void evenSignsWrongAtMostTheElementThatMattersLeast() {
        float[] weights = new float[Signs.COUNT];
        Arrays.fill(weights, 1);
        for (long seed = 0; seed < 100; seed++) {
            float[] floats = normal(seed);
            float[] magnitudes = new float[Signs.COUNT];
            int signs = Signs.fromSeven(Signs.splitEven(floats, 0, weights, magnitudes, 0));

            assertThat(joined(signs, magnitudes)).as("seed %d", seed).isEqualTo(floats);
            for (int i = 0; i < Signs.COUNT; i++) {
                if (magnitudes[i] < 0) {
                    for (float other : floats) {
                        assertThat(Math.abs(floats[i])).as("seed %d", seed).isLessThanOrEqualTo(Math.abs(other));
                    }
                }
            }
        }
    }
}
