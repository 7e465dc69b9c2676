package dev.stowage.cpu.team;

import java.util.concurrent.locks.LockSupport;

/**
 * How a thread waits for something that another thread is about to do. At first it spins, as most waits are shorter
 * than a context switch. A longer wait is a sign that the other thread is not running: then this one yields, and at
 * last parks for short times, so that the other can be scheduled on the idle processor.
 */
final class Backoff {

    /** How often to poll before yielding: some ten to twenty microseconds. */
    static final int SPINS = 1_000;

    /** How often to poll in all before sleeping. */
    static final int POLLS = SPINS + 100;

    /** Short against a time slice, and long against the cost of a sleep. */
    private static final long PARK_NANOS = 50_000;

    private Backoff() {}

    /** Waits a moment before the next poll, after so many of them; returns the number of polls then. */
    @SuppressWarnings("ThreadPriorityCheck") // where threads outnumber processors, the one waited for may need this one
    static int pause(int polls) {
        if (polls < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
        return polls + 1;
    }

    /** As {@link #pause}, for a wait that ends only with what is waited for. */
    static int pauseOrPark(int polls) {
        if (polls < POLLS) {
            return pause(polls);
        }
        LockSupport.parkNanos(PARK_NANOS);
        // An interrupted thread does not sleep, so it yields now and then.
        return POLLS - 1;
    }
}
