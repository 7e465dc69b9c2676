package dev.stowage.rpc.server;

import dev.stowage.error.AllocationException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Copies of the weights of a client as its device wants them for products. A client writes weights as plain bytes and
 * may read, change or compute with any of them, so those stay where they are; a matrix that is a factor of a product gets
 * a copy, made for the first graph that multiplies with it.
 *
 * <p>What has been written once a copy was made is no weight: the copy goes and never comes back, and so it is with all in a buffer
 * that a graph computes into. Copies count as memory of the client, and are given up where it needs that for something
 * else. One thread at a time.
 */
final class PackedWeights implements AutoCloseable {

    /** Twice as many matrices as the largest models have; what is beyond them is used as it was written. */
    private static final int MOST = 8192;

    /** A matrix that has or had a copy. */
    static final class Copy {

        private final ClientBuffers.Held held;
        private final long offset;
        private final long end;
        private final Tensor original;
        private final Tensor packed;
        private final Buffer memory;

        private Copy(ClientBuffers.Held held, Tensor original, Tensor packed) {
            this.held = held;
            this.offset = original.storageOffset();
            this.end = offset + original.byteSize();
            this.original = original;
            this.packed = packed;
            this.memory = Buffer.of(packed);
        }

        /** The copy, in memory of its own. */
        Tensor packed() {
            return packed;
        }

        /** Whether it is of a matrix in that buffer. */
        boolean isOf(ClientBuffers.Held other) {
            return held.is(other.buffer());
        }

        /** Whether it is still what the client has written. */
        boolean isCurrent() {
            return !memory.isClosed();
        }

        private boolean overlaps(long from, long to) {
            return from < end && offset < to;
        }
    }

    private final MemoryShare share;

    /** By the base of the buffer that the matrices are in. */
    private final Map<Long, List<Copy>> copies = new HashMap<>();

    /** The bases of buffers that graphs compute into. */
    private final Set<Long> computedInto = new HashSet<>();

    private int count;
    private long bytes;
    private boolean givenUp;

    PackedWeights(MemoryShare share) {
        this.share = share;
    }

    /** The bytes of all copies. */
    long bytes() {
        return bytes;
    }

    /** The copy of a matrix that is placed in a buffer, which is made if there is none; null if it cannot have one. */
    @Nullable
    Copy of(ClientBuffers.Held held, Tensor original) {
        if (computedInto.contains(held.base())) {
            return null;
        }
        for (Copy copy : copies.getOrDefault(held.base(), List.of())) {
            if (copy.offset == original.storageOffset()) {
                return copy.isCurrent() && copy.original.layout().equals(original.layout()) ? copy : null;
            }
        }
        return make(held, original);
    }

    private @Nullable Copy make(ClientBuffers.Held held, Tensor original) {
        BufferType type = held.device().packedType(original.layout());
        if (type == null || givenUp || count == MOST) {
            return null;
        }
        Tensor packed = Tensor.leaf(original.layout()).named(original.name());
        long size = type.allocationSize(packed);
        if (size > share.left() / 2) {
            return null;
        }
        try {
            share.take("a copy of weights", size);
            boolean made = false;
            try {
                held.device().pack(BoundTensor.of(original), packed, type, size);
                made = true;
            } finally {
                if (!made) {
                    share.giveBack(size);
                }
            }
        } catch (AllocationException tooMuch) {
            return null;
        }
        Copy copy = new Copy(held, original, packed);
        copies.computeIfAbsent(held.base(), _ -> new ArrayList<>()).add(copy);
        count++;
        bytes += size;
        return copy;
    }

    /** Whether there are copies of any part of a buffer. */
    boolean has(ClientBuffers.Held held, long from, long length) {
        for (Copy copy : copies.getOrDefault(held.base(), List.of())) {
            if (copy.isCurrent() && copy.overlaps(from, from + length)) {
                return true;
            }
        }
        return false;
    }

    /** Drops the copies of what is about to be written; graphs that use them must be closed by then. */
    void drop(ClientBuffers.Held held, long from, long length) {
        for (Copy copy : copies.getOrDefault(held.base(), List.of())) {
            if (copy.overlaps(from, from + length)) {
                close(copy);
            }
        }
    }

    /** Notes that a graph computes into a buffer, of which nothing has a copy any more. */
    void computesInto(ClientBuffers.Held held) {
        computedInto.add(held.base());
    }

    /** Drops all that is known of a buffer, which is about to be freed. */
    void forget(ClientBuffers.Held held) {
        computedInto.remove(held.base());
        List<Copy> gone = copies.remove(held.base());
        if (gone != null) {
            gone.forEach(this::close);
            count -= gone.size();
        }
    }

    /** Drops all copies for the memory they have, and makes no more. */
    void giveUp() {
        close();
        givenUp = true;
    }

    private void close(Copy copy) {
        if (copy.isCurrent()) {
            copy.held.device().free(copy.memory);
            share.giveBack(copy.memory.size());
            bytes -= copy.memory.size();
        }
    }

    @Override
    public void close() {
        copies.values().forEach(of -> of.forEach(this::close));
        copies.clear();
        count = 0;
    }
}
