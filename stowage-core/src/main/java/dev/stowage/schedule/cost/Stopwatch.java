package dev.stowage.schedule.cost;

import java.util.Arrays;
import java.util.function.LongSupplier;

/** Takes the time of something often enough to trust it, and not longer than it may take. */
final class Stopwatch {

    /** The middle of so many does not move for one that was disturbed. */
    private static final int LEAST_TIMES = 3;

    private static final int MOST_TIMES = 15;

    private final LongSupplier nanoClock;
    private final long share;

    Stopwatch(LongSupplier nanoClock, long share) {
        this.nanoClock = nanoClock;
        this.share = share;
    }

    /** Whether something that takes so long can be measured in twice, or four times, the size. */
    boolean hasTimeForLarger(double nanos) {
        return nanos * LEAST_TIMES * 16 < share;
    }

    /** The middle of what it takes, after once to get warm. */
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
