package dev.stowage.rpc.server;

import dev.stowage.device.PreparedGraph;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A graph of a client with the message that describes it, prepared or, where weights have been written that it has copies
 * of, to be prepared again before it runs. One thread at a time.
 */
final class KeptGraph implements AutoCloseable {

    private final ServedDevice device;
    private final byte[] message;
    private final MemoryShare share;
    private final long heap;
    private List<PackedWeights.Copy> copies = List.of();
    private @Nullable PreparedGraph prepared;
    private long scratch;

    /** A graph that is not prepared; {@code heap} bytes have been taken for it, and are given back when it is closed. */
    KeptGraph(ServedDevice device, byte[] message, MemoryShare share, long heap) {
        this.device = device;
        this.message = message;
        this.share = share;
        this.heap = heap;
    }

    byte[] message() {
        return message;
    }

    boolean is(byte[] other) {
        return Arrays.equals(message, other);
    }

    boolean isPrepared() {
        return prepared != null;
    }

    /** Takes what it runs as, and counts the scratch memory of that; closes it where that is too much. */
    void prepared(PreparedGraph newPrepared, List<PackedWeights.Copy> newCopies) {
        boolean counted = false;
        try {
            share.take("the scratch memory of a graph", newPrepared.scratchBytes());
            counted = true;
        } finally {
            if (!counted) {
                device.close(newPrepared);
            }
        }
        scratch = newPrepared.scratchBytes();
        prepared = newPrepared;
        copies = List.copyOf(newCopies);
    }

    void run() {
        PreparedGraph now = prepared;
        if (now == null) {
            throw new IllegalStateException("a graph runs before it is prepared");
        }
        device.compute(now);
    }

    /** Whether it reads or writes a buffer, or a copy of something there. */
    boolean uses(ClientBuffers.Held held) {
        for (PackedWeights.Copy copy : copies) {
            if (copy.isOf(held)) {
                return true;
            }
        }
        for (int i = 0; prepared != null && i < prepared.graph().bufferCount(); i++) {
            if (held.is(prepared.graph().distinctBuffer(i))) {
                return true;
            }
        }
        return false;
    }

    /** Whether it reads copies of weights. */
    boolean hasCopies() {
        return !copies.isEmpty();
    }

    /** Keeps the message alone. */
    void unprepare() {
        if (prepared != null) {
            device.close(prepared);
            share.giveBack(scratch);
            prepared = null;
            copies = List.of();
            scratch = 0;
        }
    }

    @Override
    public void close() {
        unprepare();
        share.giveBackHeap(heap);
    }
}
