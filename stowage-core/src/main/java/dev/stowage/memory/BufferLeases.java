package dev.stowage.memory;

import dev.stowage.error.ClosedException;
import dev.stowage.internal.IdentitySet;

/**
 * Leases on buffers that work is under way in: a buffer that is closed meanwhile keeps its memory until they end. A run
 * takes one lease on each buffer it touches, not one per tensor. May be used from any thread; adding a buffer again,
 * and ending the leases again, creates no garbage.
 */
public final class BufferLeases {

    private final IdentitySet<Buffer> held = new IdentitySet<>();
    /** Groups whose buffers are all held, and were open when so many had been closed in this process. */
    private final IdentitySet<BufferGroup> groups = new IdentitySet<>();

    private int closings;

    /** No leases yet. */
    public BufferLeases() {}

    /**
     * Takes a lease on a buffer, unless there is one here already.
     *
     * @throws ClosedException if the buffer is closed; the leases are as they were then
     */
    public synchronized void add(Buffer buffer) {
        if (held.contains(buffer)) {
            buffer.requireOpen();
        } else {
            buffer.acquireForWork();
            held.add(buffer);
        }
    }

    /**
     * Takes a lease on every buffer of a group, unless there is one here already. Adding the same group again takes
     * constant time as long as no buffer is closed.
     *
     * @throws ClosedException if one is closed; the leases may be held in part then
     */
    public synchronized void addAll(BufferGroup group) {
        int now = LeaseCount.closings();
        if (now != closings) {
            groups.clear();
            closings = now;
        }
        if (!groups.contains(group)) {
            for (int i = 0; i < group.size(); i++) {
                add(group.get(i));
            }
            groups.add(group);
        }
    }

    /** Ends all leases, even if freeing the memory of a closed buffer fails. */
    public synchronized void releaseAll() {
        if (held.size() > 0) {
            groups.clear();
            endWork(held.size());
        }
    }

    private void endWork(int count) {
        int left = count;
        try {
            while (left > 0) {
                held.get(--left).endWork();
            }
        } finally {
            if (left > 0) {
                endWork(left);
            } else {
                held.clear();
            }
        }
    }
}
