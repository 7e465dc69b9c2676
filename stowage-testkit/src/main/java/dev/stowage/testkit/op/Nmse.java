package dev.stowage.testkit.op;

import java.util.Arrays;
import java.util.Locale;

/**
 * How far one result is from another: the squared differences, added up, as a part of the squared expected numbers.
 * Only finite numbers are counted. Where one is NaN or infinite, the other must be the same; if it is not, the error is
 * infinite.
 *
 * @param error the normalised mean squared error
 * @param worst the index of the element that is furthest off, or -1 if there is none off at all
 * @param expected what was expected there
 * @param actual what was found there
 * @param worstRatio how far that element is off, as a part of the root mean square of what was expected
 */
public record Nmse(double error, int worst, double expected, double actual, double worstRatio) {

    /** How many times the allowed root mean square error a single element may be off. */
    private static final double OUTLIER = 16;

    /** Compares element by element. */
    public static Nmse of(double[] expected, double[] actual) {
        if (expected.length != actual.length) {
            throw new IllegalArgumentException(expected.length + " elements cannot be compared with " + actual.length);
        }
        double squares = 0;
        double differences = 0;
        double furthest = 0;
        int worst = -1;
        for (int i = 0; i < expected.length; i++) {
            double difference = difference(expected[i], actual[i]);
            if (difference > furthest) {
                furthest = difference;
                worst = i;
            }
            differences += difference * difference;
            squares += Double.isFinite(expected[i]) ? expected[i] * expected[i] : 0;
        }
        if (worst < 0) {
            return new Nmse(0, -1, 0, 0, 0);
        }
        double root = Math.sqrt(squares / expected.length);
        return new Nmse(differences / squares, worst, expected[worst], actual[worst], furthest / root);
    }

    /** Compares as {@link #of}, but for the order of the elements within each row of that length. */
    public static Nmse ofSets(double[] expected, double[] actual, long rowLength) {
        return of(sortedRows(expected, rowLength), sortedRows(actual, rowLength));
    }

    private static double[] sortedRows(double[] values, long rowLength) {
        double[] sorted = values.clone();
        for (int at = 0; at < sorted.length; at += Math.toIntExact(rowLength)) {
            Arrays.sort(sorted, at, Math.toIntExact(at + rowLength));
        }
        return sorted;
    }

    /** 0 for what counts as equal: both NaN, the same infinity, zeros of both signs. */
    private static double difference(double expected, double actual) {
        if (Double.isFinite(expected) && Double.isFinite(actual)) {
            return Math.abs(expected - actual);
        }
        boolean same = expected == actual || (Double.isNaN(expected) && Double.isNaN(actual));
        return same ? 0 : Double.POSITIVE_INFINITY;
    }

    /**
     * Whether this is close enough: the mean error is at most that, and no single element is so far off that only the
     * size of the tensor hides it.
     */
    public boolean isWithin(double maxError) {
        return error <= maxError && worstRatio <= OUTLIER * Math.sqrt(maxError);
    }

    /** The numbers in one line. */
    @Override
    public String toString() {
        return worst < 0
                ? "NMSE 0"
                : String.format(
                        Locale.ROOT,
                        "NMSE %.3g, furthest off at element %d: expected %s, found %s",
                        error,
                        worst,
                        expected,
                        actual);
    }
}
