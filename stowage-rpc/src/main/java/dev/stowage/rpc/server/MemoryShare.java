package dev.stowage.rpc.server;

import dev.stowage.device.DeviceMemory;
import dev.stowage.error.AllocationException;

/**
 * How much memory one client may have, and how much it has: its buffers, the messages that describe its graphs with what is
 * made of them, and the scratch memory of prepared graphs. One thread at a time.
 */
final class MemoryShare {

    private final long limit;
    private final ServerMemory server;
    private long taken;

    /** A share of at most {@code limit} bytes, which is also counted among those of all clients. */
    MemoryShare(long limit, ServerMemory server) {
        this.limit = limit;
        this.server = server;
    }

    /**
     * Counts memory that the client is about to get.
     *
     * @param what what it is for, for the message
     * @throws AllocationException if it would have more than it may
     */
    void take(String what, long size) {
        if (size < 0 || size > limit - taken) {
            throw new AllocationException(
                    "a client needs " + Long.toUnsignedString(size) + " bytes for " + what + " and has " + taken
                            + " of the " + limit + " it may have: --memory says how much",
                    what,
                    size,
                    limit - taken);
        }
        taken += size;
        server.add(size);
    }

    /** The bytes that the client may still get. */
    long left() {
        return limit - taken;
    }

    void giveBack(long size) {
        taken -= size;
        server.add(-size);
    }

    /**
     * As {@link #take}, for memory of the Java heap, of which all clients together may have a part.
     *
     * @throws AllocationException if the client or all of them would have more than they may
     */
    void takeHeap(String what, long size) {
        take(what, size);
        if (!server.tryTakeHeap(size)) {
            giveBack(size);
            throw new AllocationException(
                    "a client needs " + size + " bytes for " + what + " and all clients together have "
                            + server.heapInUse() + " of the " + server.heapLimit()
                            + " bytes there are for graphs: give the Java heap more, with -Xmx",
                    what,
                    size,
                    server.heapLimit() - server.heapInUse());
        }
    }

    void giveBackHeap(long size) {
        server.giveBackHeap(size);
        giveBack(size);
    }

    /** What the client is told of the memory of a device; {@code spare} bytes of what it has are given up when it asks. */
    DeviceMemory of(DeviceMemory device, long spare) {
        return new DeviceMemory(
                Math.clamp(device.free() + spare, 0, limit - taken + spare), Math.min(device.total(), limit));
    }
}
