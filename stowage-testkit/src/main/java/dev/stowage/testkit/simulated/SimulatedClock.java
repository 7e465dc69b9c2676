package dev.stowage.testkit.simulated;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The simulated time of the program that uses simulated devices. Work in a stream begins no earlier than it was
 * submitted and no earlier than the work before it ends; waiting for a stream or an event moves this clock on to where
 * that has got to, and blocking transfers move it on by what they cost. Devices that share a clock can so be measured
 * together, in no real time and with the same result every time.
 *
 * {@snippet :
 * long before = clock.nanos();
 * backend.compute(graph);
 * long took = clock.nanos() - before;
 * }
 *
 * <p>May be used from any thread; the measurements make sense where one thread submits the work.
 */
public final class SimulatedClock {

    private final AtomicLong now = new AtomicLong();

    /** A clock that stands at 0. */
    public SimulatedClock() {}

    /** Where the clock stands. */
    public long nanos() {
        return now.get();
    }

    /** Moves the clock on: the program itself has worked for so long. */
    public void delay(long nanos) {
        now.addAndGet(nanos);
    }

    /** Moves the clock on to that time, unless it is past it already. */
    void reach(long nanos) {
        now.accumulateAndGet(nanos, Math::max);
    }
}
