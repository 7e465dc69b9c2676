package dev.stowage.testkit.simulated;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How simulated time becomes real delay on a simulated device. It is called before each call takes effect, in
 * the thread that carries the call out, so that a test can also use it to hold a stream at a chosen point.
 */
@FunctionalInterface
public interface DelayPolicy {

    /** The longest a thread stops for in {@link #jitter}. */
    int MOST_JITTER_NANOS = 50_000;

    /**
     * Lets time pass, or not.
     *
     * @throws InterruptedException if the work is to be given up
     */
    void delay(Work work) throws InterruptedException;

    /** No time passes: the costs are only added up. What tests want. */
    static DelayPolicy none() {
        return _ -> {};
    }

    /** As much time passes as the work costs. */
    static DelayPolicy real() {
        return work -> TimeUnit.NANOSECONDS.sleep(work.nanos());
    }

    /**
     * Every other call stops for a moment, whatever the work costs, so that streams meet in ever new orders and races
     * show. The seed fixes the decisions, but not how the machine runs the threads.
     */
    static DelayPolicy jitter(long seed) {
        Random random = new Random(seed);
        return _ -> {
            if (random.nextBoolean()) {
                LockSupport.parkNanos(random.nextInt(MOST_JITTER_NANOS));
            }
        };
    }
}
