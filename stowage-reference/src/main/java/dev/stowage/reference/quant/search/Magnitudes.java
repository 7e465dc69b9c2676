package dev.stowage.reference.quant.search;

/** The numbers about a run of elements from which scales are made. NaN never wins a comparison here. */
public final class Magnitudes {

    /** A block whose largest magnitude is below this counts as all zero in the formats that search for a scale. */
    public static final float TINY = 1e-15f;

    private Magnitudes() {}

    /** The element farthest from zero, with its sign; the first of them where several are equally far. */
    public static float extreme(float[] source, int from, int count) {
        float farthest = 0;
        float extreme = 0;
        for (int i = from; i < from + count; i++) {
            if (Math.abs(source[i]) > farthest) {
                farthest = Math.abs(source[i]);
                extreme = source[i];
            }
        }
        return extreme;
    }

    /** The largest magnitude. */
    public static float largest(float[] source, int from, int count) {
        return Math.abs(extreme(source, from, count));
    }

    /** The smallest element, with its sign; the largest float where there is none. */
    public static float min(float[] source, int from, int count) {
        float min = Float.MAX_VALUE;
        for (int i = from; i < from + count; i++) {
            if (source[i] < min) {
                min = source[i];
            }
        }
        return min;
    }

    /** The largest element, with its sign; the smallest float where there is none. */
    public static float max(float[] source, int from, int count) {
        float max = -Float.MAX_VALUE;
        for (int i = from; i < from + count; i++) {
            if (source[i] > max) {
                max = source[i];
            }
        }
        return max;
    }

    /** The sum of the squares, added in order. */
    public static float sumOfSquares(float[] source, int from, int count) {
        float sum = 0;
        for (int i = from; i < from + count; i++) {
            sum += source[i] * source[i];
        }
        return sum;
    }

    /** One over the number, and zero for zero. */
    public static float inverse(float value) {
        return value != 0 ? 1 / value : 0;
    }
}
