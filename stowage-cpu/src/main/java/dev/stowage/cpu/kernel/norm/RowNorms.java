package dev.stowage.cpu.kernel.norm;

/**
 * The normalisations of one row of floats. Each may work in place, and is as exact as with doubles even where squares
 * overflow or underflow in floats.
 */
public final class RowNorms {

    private RowNorms() {}

    /** {@code x / sqrt(mean(x²) + epsilon)}. */
    public static void rms(long from, long to, long n, double epsilon) {
        float squares = RowScalingKernels.sumOfSquares(from, n);
        if (PreciseNorms.isReliable(squares)) {
            RowScalingKernels.scale(from, to, n, (float) (1 / Math.sqrt((double) squares / n + epsilon)));
        } else {
            PreciseNorms.divide(from, to, n, rmsDivisor(from, n, epsilon));
        }
    }

    /** {@link #rms} times a weight for each element. */
    public static void weightedRms(long from, long weights, long to, long n, double epsilon) {
        weighted(from, weights, to, n, epsilon, RowScalingKernels.sumOfSquares(from, n));
    }

    /** Writes {@code a + b} to {@code sum} and {@link #rms} of that to {@code to}. */
    public static void rmsOfSum(long a, long b, long sum, long to, long n, double epsilon) {
        float squares = RowScalingKernels.addAndSquare(a, b, sum, n);
        if (PreciseNorms.isReliable(squares)) {
            RowScalingKernels.scale(sum, to, n, (float) (1 / Math.sqrt((double) squares / n + epsilon)));
        } else {
            PreciseNorms.divide(sum, to, n, rmsDivisor(sum, n, epsilon));
        }
    }

    /** Writes {@code a + b} to {@code sum} and {@link #weightedRms} of that to {@code to}. */
    public static void weightedRmsOfSum(long a, long b, long sum, long weights, long to, long n, double epsilon) {
        weighted(sum, weights, to, n, epsilon, RowScalingKernels.addAndSquare(a, b, sum, n));
    }

    private static void weighted(long from, long weights, long to, long n, double epsilon, float squares) {
        if (PreciseNorms.isReliable(squares)) {
            float factor = (float) (1 / Math.sqrt((double) squares / n + epsilon));
            RowScalingKernels.scaleAndWeigh(from, weights, to, n, factor);
        } else {
            PreciseNorms.divideAndWeigh(from, weights, to, n, rmsDivisor(from, n, epsilon));
        }
    }

    private static double rmsDivisor(long from, long n, double epsilon) {
        return Math.sqrt(PreciseNorms.sumOfSquares(from, n) / n + epsilon);
    }

    /** {@code x / max(sqrt(sum(x²)), epsilon)}; a length that is NaN counts as {@code epsilon}. */
    public static void length(long from, long to, long n, double epsilon) {
        float squares = RowScalingKernels.sumOfSquares(from, n);
        boolean reliable = PreciseNorms.isReliable(squares);
        double length = Math.sqrt(reliable ? squares : PreciseNorms.sumOfSquares(from, n));
        double divisor = length > epsilon ? length : epsilon;
        if (reliable) {
            RowScalingKernels.scale(from, to, n, (float) (1 / divisor));
        } else {
            PreciseNorms.divide(from, to, n, divisor);
        }
    }

    /** {@code (x - mean) / sqrt(variance + epsilon)}. */
    public static void centre(long from, long to, long n, double epsilon) {
        float mean = RowScalingKernels.sum(from, n) / n;
        if (!Float.isFinite(mean)) {
            PreciseNorms.centre(from, to, n, epsilon);
            return;
        }
        // The mean was rounded; what it misses shows in the mean of what is left, and is taken off in the last pass.
        double missed = (double) RowScalingKernels.shift(from, to, n, mean) / n;
        float squares = RowScalingKernels.sumOfSquares(to, n);
        if (!PreciseNorms.isReliable(squares)) {
            PreciseNorms.centre(to, to, n, epsilon);
            return;
        }
        double variance = Math.max(0, (double) squares / n - missed * missed);
        double factor = 1 / Math.sqrt(variance + epsilon);
        RowScalingKernels.scale(to, to, n, (float) factor, (float) (-missed * factor));
    }
}
