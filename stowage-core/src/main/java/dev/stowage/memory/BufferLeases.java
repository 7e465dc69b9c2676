package dev.stowage.memory;

import dev.stowage.error.ClosedException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Leases on buffers that work is under way in: a buffer that is closed meanwhile keeps its memory until they end. A run
 * takes one lease on each buffer it touches, not one per tensor. May be used from any thread; adding a buffer again,
 * and ending the leases again, creates no garbage.
 */
public final class BufferLeases {

    private @Nullable Buffer[] held = new Buffer[4];
    private int count;

    /** No leases yet. */
    public BufferLeases() {}

    /**
     * Takes a lease on a buffer, unless there is one here already.
     *
     * @throws ClosedException if the buffer is closed; the leases are as they were then
     */
    @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory, whatever else they have in common
    public synchronized void add(Buffer buffer) {
        for (int i = 0; i < count; i++) {
            if (held[i] == buffer) {
                buffer.requireOpen();
                return;
            }
        }
        if (count == held.length) {
            held = Arrays.copyOf(held, 2 * count);
        }
        buffer.acquireForWork();
        held[count++] = buffer;
    }

    /** Ends all leases, even if freeing the memory of a closed buffer fails. */
    public synchronized void releaseAll() {
        try {
            while (count > 0) {
                Buffer buffer = held[--count];
                held[count] = null;
                if (buffer != null) {
                    buffer.endWork();
                }
            }
        } finally {
            if (count > 0) {
                releaseAll();
            }
        }
    }
}
