package dev.stowage.testkit.simulated;

import dev.stowage.error.StowageException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A point in a stream that is signaled once, or never because work before it failed. Recording an event makes a new
 * one, so that a wait for an event waits for where the event was when the wait was submitted.
 */
final class Fence {

    private boolean over;
    private @Nullable StowageException failure;
    private boolean timed = true;
    private long nanos;

    /** A fence that was signaled at time 0: that of an event never recorded. */
    static Fence signaled() {
        Fence fence = new Fence();
        fence.signal(0);
        fence.timed = false;
        return fence;
    }

    /** The work before the fence is done, at that simulated time. */
    synchronized void signal(long atNanos) {
        if (!over) {
            over = true;
            nanos = atNanos;
            notifyAll();
        }
    }

    /** The work before the fence will not be done. */
    synchronized void fail(StowageException why) {
        if (!over) {
            over = true;
            failure = why;
            notifyAll();
        }
    }

    /** Waits until the fence has been signaled or never will be. */
    synchronized void await() throws InterruptedException {
        while (!over) {
            wait();
        }
    }

    /** Whether the fence has been signaled or never will be. */
    synchronized boolean isOver() {
        return over;
    }

    /** Whether it was recorded and has been signaled. */
    synchronized boolean hasTime() {
        return over && timed && failure == null;
    }

    /** Why the fence was not signaled, if it was not. */
    synchronized Optional<StowageException> failure() {
        return Optional.ofNullable(failure);
    }

    /** The simulated time at which it was signaled. */
    synchronized long nanos() {
        return nanos;
    }
}
