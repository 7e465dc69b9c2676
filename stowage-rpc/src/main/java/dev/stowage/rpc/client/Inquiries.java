package dev.stowage.rpc.client;

import dev.stowage.device.DeviceMemory;
import dev.stowage.error.DeviceLostException;
import dev.stowage.rpc.wire.Command;
import dev.stowage.tensor.Tensor;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a server says of its devices and their memory. None of it is trusted: an answer that cannot be right loses the
 * server, with a message that has the answer. Thread-safe.
 */
final class Inquiries {

    private static final int MOST_DEVICES = 1024;
    private static final long MOST_ALIGNMENT = 1L << 30;
    /** So much more than its own bytes may a tensor take, for padding and for memory that a backend works in. */
    private static final long MOST_EXTRA_BYTES = 1L << 44;

    private final Connection connection;
    private final Set<Long> handles = ConcurrentHashMap.newKeySet();

    /** A buffer of the server, and the address that its tensors are counted from. */
    record Allocated(long handle, long base) {}

    Inquiries(Connection connection) {
        this.connection = connection;
    }

    /**
     * How many devices there are.
     *
     * @throws DeviceLostException if the answer cannot be right, as all of these do
     */
    int deviceCount() {
        long count = Integer.toUnsignedLong(
                connection.ask(Command.DEVICE_COUNT, 0, _ -> {}, Integer.BYTES).getInt(0));
        if (count == 0 || count > MOST_DEVICES) {
            throw connection.nonsense(
                    Command.DEVICE_COUNT, count + " devices, which is not between 1 and " + MOST_DEVICES);
        }
        return (int) count;
    }

    long alignment(int device) {
        long alignment = number(Command.GET_ALIGNMENT, device);
        if (Long.bitCount(alignment) != 1 || alignment < 0 || alignment > MOST_ALIGNMENT) {
            throw connection.nonsense(
                    Command.GET_ALIGNMENT,
                    Long.toUnsignedString(alignment) + ", which is not a power of two up to " + MOST_ALIGNMENT);
        }
        return alignment;
    }

    /** The most bytes of one buffer. What has the highest bit set, as all ones have, stands for no limit. */
    long mostBytes(int device) {
        long most = number(Command.GET_MAX_SIZE, device);
        if (most == 0) {
            throw connection.nonsense(Command.GET_MAX_SIZE, "0, so that it has room for nothing");
        }
        return most < 0 ? Long.MAX_VALUE : most;
    }

    private long number(Command command, int device) {
        return connection
                .ask(command, Integer.BYTES, out -> out.putInt(device), Long.BYTES)
                .getLong(0);
    }

    /** A backend may subtract what it has lent from what it has, and get less than nothing: that is none free. */
    DeviceMemory memory(int device) {
        ByteBuffer reply =
                connection.ask(Command.GET_DEVICE_MEMORY, Integer.BYTES, out -> out.putInt(device), 2 * Long.BYTES);
        long free = reply.getLong(0);
        long total = reply.getLong(Long.BYTES);
        if (total < 0 || free > total || free < -total) {
            throw connection.nonsense(
                    Command.GET_DEVICE_MEMORY,
                    Long.toUnsignedString(free) + " bytes free of " + Long.toUnsignedString(total));
        }
        return new DeviceMemory(Math.max(0, free), total);
    }

    /** A new buffer; empty where the server has no memory for it. */
    Optional<Allocated> allocate(int device, long bytes, long alignment) {
        ByteBuffer reply = connection.ask(
                Command.ALLOC_BUFFER,
                Integer.BYTES + Long.BYTES,
                out -> out.putInt(device).putLong(bytes),
                2 * Long.BYTES);
        long handle = reply.getLong(0);
        if (handle == 0) {
            return Optional.empty();
        }
        long size = reply.getLong(Long.BYTES);
        if (size < bytes) {
            throw connection.nonsense(
                    Command.ALLOC_BUFFER,
                    "a buffer of " + Long.toUnsignedString(size) + " bytes where " + bytes + " were asked for");
        }
        if (!handles.add(handle)) {
            throw connection.nonsense(
                    Command.ALLOC_BUFFER, "buffer " + Long.toHexString(handle) + ", which is in use already");
        }
        return Optional.of(new Allocated(handle, base(handle, bytes, alignment)));
    }

    private long base(long handle, long bytes, long alignment) {
        long base = connection
                .ask(Command.BUFFER_GET_BASE, Long.BYTES, out -> out.putLong(handle), Long.BYTES)
                .getLong(0);
        if (base == 0 || Long.compareUnsigned(base + bytes, base) < 0 || (base & (alignment - 1)) != 0) {
            throw connection.nonsense(
                    Command.BUFFER_GET_BASE,
                    "address " + Long.toHexString(base) + " for " + bytes + " bytes that are aligned to " + alignment);
        }
        return base;
    }

    /** Forgets a buffer that is about to be freed, whose handle the server may then give again. */
    void freed(long handle) {
        handles.remove(handle);
    }

    /** Checks the bytes that a tensor is said to take. */
    long requireSize(Tensor tensor, long bytes) {
        if (bytes < tensor.byteSize() || bytes - tensor.byteSize() > MOST_EXTRA_BYTES) {
            throw connection.nonsense(
                    Command.GET_ALLOC_SIZE,
                    Long.toUnsignedString(bytes) + " bytes for " + tensor.describe() + ", which has "
                            + tensor.byteSize());
        }
        return bytes;
    }
}
