package dev.stowage.reference.quant.bits;

/**
 * The three conversions from float to integer that formats use. They agree with what ggml's C code does on common
 * processors, also where the float is out of range, which happens in blocks of very small or very large numbers.
 */
public final class Rounding {

    /** 1.5 * 2^23: in floats of this size the unit of the last place is one. */
    private static final float WHOLE = 12_582_912f;

    private Rounding() {}

    /**
     * To the nearest, halves to the even one; right for magnitudes below 2^22. Beyond that the result wraps around,
     * infinities and NaN give some number in that range.
     */
    public static int nearest(float value) {
        // The sum has no room for a fraction, so the addition rounds; the number is then in the lowest bits.
        return (Float.floatToRawIntBits(value + WHOLE) & 0x7F_FFFF) - 0x40_0000;
    }

    /** As {@link #nearest}, then the nearest number from {@code low} to {@code high}. */
    public static int nearest(float value, int low, int high) {
        return Math.clamp(nearest(value), low, high);
    }

    /** To the nearest, halves away from zero; {@link Integer#MIN_VALUE} for what no int can hold. */
    public static int halfAway(float value) {
        float magnitude = Math.abs(value);
        int whole = truncate(magnitude);
        if (whole == Integer.MIN_VALUE) {
            return whole;
        }
        if (magnitude - whole >= 0.5f) {
            whole++;
        }
        return value < 0 ? -whole : whole;
    }

    /** Towards zero; {@link Integer#MIN_VALUE}, and not the nearest int as in a cast, for what no int can hold. */
    public static int truncate(float value) {
        return Math.abs(value) < 0x1p31f ? (int) value : Integer.MIN_VALUE;
    }
}
