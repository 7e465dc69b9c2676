package dev.stowage.rpc.server;

import dev.stowage.device.DeviceMemory;
import dev.stowage.error.AllocationException;
import dev.stowage.memory.BufferType;
import java.util.concurrent.atomic.AtomicLong;

/** How much memory one client may have, and how much it has. One thread at a time. */
final class MemoryShare {

    private final long limit;
    private final AtomicLong ofAll;
    private long taken;

    /** A share of at most {@code limit} bytes, which is also counted among those of all clients. */
    MemoryShare(long limit, AtomicLong ofAll) {
        this.limit = limit;
        this.ofAll = ofAll;
    }

    /**
     * Counts memory that the client is about to get.
     *
     * @throws AllocationException if it would have more than it may
     */
    void take(BufferType type, long size) {
        if (size > limit - taken) {
            throw new AllocationException(
                    "a client asked for " + size + " bytes and has " + taken + " of the " + limit + " it may have",
                    type.name(),
                    size,
                    limit - taken);
        }
        taken += size;
        ofAll.addAndGet(size);
    }

    void giveBack(long size) {
        taken -= size;
        ofAll.addAndGet(-size);
    }

    /** What the client is told of the memory of a device. */
    DeviceMemory of(DeviceMemory device) {
        return new DeviceMemory(Math.clamp(device.free(), 0, limit - taken), Math.min(device.total(), limit));
    }
}
