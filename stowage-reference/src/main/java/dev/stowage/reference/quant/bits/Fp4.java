package dev.stowage.reference.quant.bits;

/**
 * The sixteen numbers of four-bit floating point (one sign bit, two of exponent, one of fraction): 0, 0.5, 1, 1.5, 2,
 * 3, 4, 6 and their negatives. They are kept doubled, as whole numbers; the scales that go with them are halved.
 */
public final class Fp4 {

    private static final int[] DOUBLED = {0, 1, 2, 3, 4, 6, 8, 12};

    private Fp4() {}

    /** Twice the number that {@code code}, from 0 to 15, stands for; minus zero is zero. */
    public static int doubled(int code) {
        int magnitude = DOUBLED[code & 7];
        return code < 8 ? magnitude : -magnitude;
    }

    /** The code of the number that times {@code scale} comes nearest; of two equally near ones the smaller code. */
    public static int nearest(float value, float scale) {
        int best = 0;
        float error = Math.abs(doubled(0) * scale - value);
        for (int code = 1; code < 16; code++) {
            float candidate = Math.abs(doubled(code) * scale - value);
            if (candidate < error) {
                best = code;
                error = candidate;
            }
        }
        return best;
    }
}
