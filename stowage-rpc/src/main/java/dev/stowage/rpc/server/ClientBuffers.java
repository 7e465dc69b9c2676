package dev.stowage.rpc.server;

import dev.stowage.error.AllocationException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;

/**
 * The buffers of one client. What the client sees are numbers: handles are keys of a table, and base addresses are ranges
 * of an address space that exists only here, one behind the other and never used twice. Nothing that a client sends is used
 * as an address, and a handle of a freed buffer stays invalid.
 */
final class ClientBuffers implements AutoCloseable {

    /** Where the addresses of a client begin, and how far its buffers are apart at least. */
    private static final long FIRST_BASE = 1L << 32;

    private static final long GAP = 1L << 20;

    /** The largest buffer that has room in the addresses. */
    private static final long MOST_BYTES = 1L << 56;

    /** A buffer and the range of addresses that the client knows it by. */
    record Held(ServedDevice device, Buffer buffer, long base) {

        /** A tensor that a message places in this buffer. */
        BoundTensor at(Tensor tensor, long address) {
            return BoundTensor.at(tensor, buffer, offset(address));
        }

        /** Whether a tensor with memory of its own is stored here. */
        boolean holds(Tensor tensor) {
            return is(Buffer.of(tensor));
        }

        @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory
        boolean is(Buffer other) {
            return buffer == other;
        }

        /** The offset that an address stands for; negative or beyond the buffer if it stands for nothing here. */
        long offset(long address) {
            return address - base;
        }
    }

    private final MemoryShare share;
    private final Map<Long, Held> held = new HashMap<>();
    private long nextHandle = 1;
    private long nextBase = FIRST_BASE;

    ClientBuffers(MemoryShare share) {
        this.share = share;
    }

    /**
     * Takes memory and returns its handle.
     *
     * @throws AllocationException if there is not as much, or the client may not have more
     */
    long allocate(ServedDevice device, long size) {
        if (size < 0 || size > MOST_BYTES) {
            throw new AllocationException(
                    "a client asked for a buffer of " + Long.toUnsignedString(size) + " bytes",
                    device.bufferType().name(),
                    size,
                    MOST_BYTES);
        }
        share.take("a buffer", size);
        Buffer buffer = null;
        try {
            buffer = device.allocate(size);
        } finally {
            if (buffer == null) {
                share.giveBack(size);
            }
        }
        long handle = nextHandle++;
        held.put(handle, new Held(device, buffer, nextBase));
        nextBase = (nextBase + size + 2 * GAP) & -GAP;
        return handle;
    }

    /**
     * The buffer of a handle.
     *
     * @throws MalformedDataException if there is none
     */
    Held get(long handle) {
        Held found = held.get(handle);
        if (found == null) {
            throw new MalformedDataException("there is no buffer " + Long.toHexString(handle));
        }
        return found;
    }

    void free(long handle) {
        Held freed = get(handle);
        held.remove(handle);
        release(freed);
    }

    private void release(Held freed) {
        freed.device.free(freed.buffer);
        share.giveBack(freed.buffer.size());
    }

    /**
     * The tensor that a request to read or write names, as a leaf in its place.
     *
     * @throws MalformedDataException if it is in no buffer
     */
    BoundTensor place(WireTensor wire) {
        return get(wire.buffer()).at(Tensor.leaf(layout(wire)), wire.data());
    }

    /** The type, shape and strides of a tensor in a message. */
    static Layout layout(WireTensor wire) {
        return Layout.strided(
                ElementType.ofCode(wire.type()),
                new Shape(wire.ne(0), wire.ne(1), wire.ne(2), wire.ne(3)),
                new Strides(wire.nb(0), wire.nb(1), wire.nb(2), wire.nb(3)));
    }

    @Override
    public void close() {
        held.values().forEach(this::release);
        held.clear();
    }
}
