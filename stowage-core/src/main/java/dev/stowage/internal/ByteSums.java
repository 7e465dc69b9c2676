package dev.stowage.internal;

import dev.stowage.error.InvalidPlanException;

/** Adds byte counts, and refuses what a long cannot count. */
public final class ByteSums {

    private ByteSums() {}

    /**
     * The sum of two counts.
     *
     * @throws InvalidPlanException if it is more than a long can count
     */
    public static long sum(long a, long b) {
        long sum = a + b;
        if (sum < 0) {
            throw new InvalidPlanException("the plan needs more bytes than a long can count");
        }
        return sum;
    }

    /**
     * The sum of all counts.
     *
     * @throws InvalidPlanException if it is more than a long can count
     */
    public static long sum(long[] counts) {
        long sum = 0;
        for (long count : counts) {
            sum = sum(sum, count);
        }
        return sum;
    }
}
