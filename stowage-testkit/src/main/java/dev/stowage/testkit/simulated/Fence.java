package dev.stowage.testkit.simulated;

import dev.stowage.error.StowageException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A point in a stream that is reached once, or never because work before it failed. Recording an event makes a new one,
 * so that whoever waits for an event waits for where it stood when the waiting was handed in.
 */
final class Fence {

    private boolean over;
    private @Nullable StowageException failure;
    private boolean timed = true;
    private long nanos;

    /** A mark that has been reached at the beginning of time: that of an event never recorded. */
    static Fence signaled() {
        Fence fence = new Fence();
        fence.signal(0);
        fence.timed = false;
        return fence;
    }

    /** The work before the mark is done, at that simulated time. */
    synchronized void signal(long atNanos) {
        if (!over) {
            over = true;
            nanos = atNanos;
            notifyAll();
        }
    }

    /** The work before the mark will not be done. */
    synchronized void fail(StowageException why) {
        if (!over) {
            over = true;
            failure = why;
            notifyAll();
        }
    }

    /** Waits until the mark has been reached or never will be. */
    synchronized void await() throws InterruptedException {
        while (!over) {
            wait();
        }
    }

    /** Whether the mark has been reached or never will be. */
    synchronized boolean isOver() {
        return over;
    }

    /** Whether it was recorded and has been reached. */
    synchronized boolean hasTime() {
        return over && timed && failure == null;
    }

    /** Why the mark was not reached, if it was not. */
    synchronized Optional<StowageException> failure() {
        return Optional.ofNullable(failure);
    }

    /** The simulated time at which it was reached. */
    synchronized long nanos() {
        return nanos;
    }
}
