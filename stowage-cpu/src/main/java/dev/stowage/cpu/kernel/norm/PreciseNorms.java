package dev.stowage.cpu.kernel.norm;

import dev.stowage.cpu.kernel.Memory;

/**
 * Normalisations of a row in doubles, one number after the other: for the rare rows whose squares overflow or underflow
 * in floats, or that contain infinities or NaN.
 */
public final class PreciseNorms {

    /** Sums of squares below this may have lost something to numbers too small for a float. */
    private static final float LEAST = 0x1p-100f;

    private static final float MOST = 0x1p127f;

    private PreciseNorms() {}

    /** Whether a sum of squares of floats can be relied on. */
    public static boolean isReliable(float sumOfSquares) {
        return sumOfSquares > LEAST && sumOfSquares < MOST;
    }

    /** The sum of the squares of {@code n} floats. */
    public static double sumOfSquares(long from, long n) {
        double sum = 0;
        for (long i = 0; i < n; i++) {
            double x = Memory.getFloat(from + i * Float.BYTES);
            sum += x * x;
        }
        return sum;
    }

    /** Writes {@code x / divisor} of {@code n} floats. */
    public static void divide(long from, long to, long n, double divisor) {
        for (long i = 0; i < n; i++) {
            long at = i * Float.BYTES;
            Memory.setFloat(to + at, (float) (Memory.getFloat(from + at) / divisor));
        }
    }

    /** Writes {@code x / divisor * weight} of {@code n} floats, rounded after the division. */
    public static void divideAndWeigh(long from, long weights, long to, long n, double divisor) {
        for (long i = 0; i < n; i++) {
            long at = i * Float.BYTES;
            float quotient = (float) (Memory.getFloat(from + at) / divisor);
            Memory.setFloat(to + at, quotient * Memory.getFloat(weights + at));
        }
    }

    /** Writes {@code (x - mean) / sqrt(variance + epsilon)} of {@code n} floats. */
    public static void centre(long from, long to, long n, double epsilon) {
        double sum = 0;
        for (long i = 0; i < n; i++) {
            sum += Memory.getFloat(from + i * Float.BYTES);
        }
        double mean = sum / n;
        double squares = 0;
        for (long i = 0; i < n; i++) {
            double off = Memory.getFloat(from + i * Float.BYTES) - mean;
            squares += off * off;
        }
        double divisor = Math.sqrt(squares / n + epsilon);
        for (long i = 0; i < n; i++) {
            long at = i * Float.BYTES;
            Memory.setFloat(to + at, (float) ((Memory.getFloat(from + at) - mean) / divisor));
        }
    }
}
