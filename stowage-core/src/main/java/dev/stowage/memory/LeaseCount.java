package dev.stowage.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many leases there are on a buffer, and whether it is closed, in one atomic word:
 *
 * <pre>
 *   bit 31   closed
 *   30 .. 0  leases
 * </pre>
 *
 * <p>Memory is freed by the call that leaves the word at "closed, no leases", which happens once. That call returns
 * true, and its caller frees the memory.
 */
final class LeaseCount {

    private static final int CLOSED = 1 << 31;

    /** How many buffers of this process have been closed. */
    private static final AtomicInteger CLOSINGS = new AtomicInteger();

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(LeaseCount.class, "word", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile int word;

    /** How many buffers of this process have been closed; while it is the same, open buffers are still open. */
    static int closings() {
        return CLOSINGS.get();
    }

    boolean isClosed() {
        return word < 0;
    }

    /** Whether the buffer is closed and no lease is left, so that its memory is freed. */
    boolean isFreed() {
        return word == CLOSED;
    }

    /** Takes a lease, unless the buffer is closed. */
    boolean tryAcquire() {
        int now = word;
        while (now >= 0) {
            if (WORD.compareAndSet(this, now, now + 1)) {
                return true;
            }
            now = word;
        }
        return false;
    }

    /** Takes a lease on a buffer that may be closed, unless its memory is freed. */
    boolean tryAcquireWhileLeased() {
        int now = word;
        while (now != CLOSED) {
            if (WORD.compareAndSet(this, now, now + 1)) {
                return true;
            }
            now = word;
        }
        return false;
    }

    /** Ends a lease, and returns whether the caller has to free the memory. */
    boolean release() {
        return (int) WORD.getAndAdd(this, -1) - 1 == CLOSED;
    }

    /**
     * Closes, if that has not been done, and returns whether the caller has to free the memory. Closing holds a lease
     * until those who have leased a group with this buffer in it hold one of their own.
     */
    boolean close() {
        int now = word;
        while (now >= 0) {
            if (WORD.compareAndSet(this, now, (now + 1) | CLOSED)) {
                CLOSINGS.incrementAndGet();
                BufferLeases.countClosed();
                return release();
            }
            now = word;
        }
        return false;
    }
}
