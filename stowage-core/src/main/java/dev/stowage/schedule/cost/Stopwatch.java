package dev.stowage.schedule.cost;

import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/** Measures the time of work: the median of several runs, within a time limit. */
final class Stopwatch {

    /** The median of three ignores one outlier. */
    private static final int LEAST_TIMES = 3;

    private static final int MOST_TIMES = 15;

    private final LongSupplier nanoClock;
    private final long share;

    Stopwatch(LongSupplier nanoClock, long share) {
        this.nanoClock = nanoClock;
        this.share = share;
    }

    /** The time of work of some size. */
    record Measurement(long size, double nanos) {}

    /**
     * Halves the first size until it can be measured, then doubles it while time and memory last.
     *
     * @param fallback the time if no size can be measured
     */
    Measurement largest(long least, long first, long last, double fallback, LongFunction<OptionalDouble> measure) {
        long size = first;
        OptionalDouble known = measure.apply(size);
        while (known.isEmpty() && size > 2 * least) {
            size /= 2;
            known = measure.apply(size);
        }
        double nanos = known.orElse(fallback);

        while (size < last && nanos * LEAST_TIMES * 16 < share) {
            OptionalDouble larger = measure.apply(2 * size);
            if (larger.isEmpty()) {
                break;
            }
            size *= 2;
            nanos = larger.getAsDouble();
        }
        return new Measurement(size, nanos);
    }

    /** The median time, after one warm-up run. */
    double nanos(Runnable work) {
        work.run();
        long[] times = new long[MOST_TIMES];
        int count = 0;
        long begin = nanoClock.getAsLong();
        while (count < LEAST_TIMES || (count < MOST_TIMES && nanoClock.getAsLong() - begin < share)) {
            long before = nanoClock.getAsLong();
            work.run();
            times[count++] = nanoClock.getAsLong() - before;
        }
        Arrays.sort(times, 0, count);
        return times[count / 2];
    }
}
