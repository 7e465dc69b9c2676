package dev.stowage.reference.quant.bits;

/**
 * Conversion between floats and the two 16-bit types, as in ggml: to nearest, ties to even, overflow to infinity,
 * subnormals kept. Only NaN differs from what {@link Float} does.
 *
 * <pre>
 *          sign  exponent  fraction
 *   f32     1       8         23
 *   f16     1       5         10
 *   bf16    1       8          7     the upper half of an f32
 * </pre>
 */
public final class FloatFormats {

    private static final int QUIET = 0x0040_0000;

    private FloatFormats() {}

    /** The value of an f16; a NaN keeps its sign and fraction and is made quiet. */
    public static float fromHalf(short half) {
        float value = Float.float16ToFloat(half);
        return Float.isNaN(value) ? Float.intBitsToFloat(Float.floatToRawIntBits(value) | QUIET) : value;
    }

    /** The nearest f16; of a NaN only the sign is kept. */
    public static short toHalf(float value) {
        if (Float.isNaN(value)) {
            return (short) (((Float.floatToRawIntBits(value) >>> 16) & 0x8000) | 0x7E00);
        }
        return Float.floatToFloat16(value);
    }

    /** The value of a bf16, which is exact. */
    public static float fromBrainFloat(short brainFloat) {
        return Float.intBitsToFloat(brainFloat << Short.SIZE);
    }

    /** The nearest bf16; a NaN keeps its sign and the upper part of its fraction and is made quiet. */
    public static short toBrainFloat(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) ((bits | QUIET) >>> 16);
        }
        int tieToEven = (bits >>> 16) & 1;
        return (short) ((bits + 0x7FFF + tieToEven) >>> 16);
    }
}
