package dev.stowage.cuda.memory;

import dev.stowage.error.ClosedException;
import dev.stowage.memory.BufferLeases;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Keeps pinned memory from being freed while the GPU transfers from or to it; holds nothing for other memory. */
final class PinnedLease implements AutoCloseable {

    private static final PinnedLease NONE = new PinnedLease(null);

    private final @Nullable BufferLeases leases;

    private PinnedLease(@Nullable BufferLeases leases) {
        this.leases = leases;
    }

    /** A lease on the pinned buffer that has these bytes, if there is one and it is open. */
    static PinnedLease of(MemorySegment segment) {
        PinnedBuffer owner = PinnedBuffer.owner(segment);
        if (owner == null) {
            return NONE;
        }
        try {
            BufferLeases leases = new BufferLeases();
            leases.add(owner);
            return new PinnedLease(leases);
        } catch (ClosedException _) {
            return NONE;
        }
    }

    boolean isHeld() {
        return leases != null;
    }

    @Override
    public void close() {
        if (leases != null) {
            leases.releaseAll();
        }
    }
}
