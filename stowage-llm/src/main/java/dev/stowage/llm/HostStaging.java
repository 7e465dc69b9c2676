package dev.stowage.llm;

import dev.stowage.device.Backend;
import dev.stowage.device.Capability;
import dev.stowage.device.Device;
import dev.stowage.memory.Allocations;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Host memory that arrays go through on their way to and from a device whose memory the host does not reach: a device
 * transfers fastest with its own {@linkplain Device#hostBufferType() kind of host memory}, and cannot transfer with the
 * Java heap at all. What is stored in host memory is read and written directly.
 *
 * <p>Where one asynchronous device does all the work, transfers are only submitted, in the order of its stream, and each
 * has a piece of staging memory of its own until {@link #release()}.
 */
final class HostStaging implements AutoCloseable {

    private static final long ALIGNMENT = 64;

    private final boolean submits;
    private final IdentityHashMap<Device, Pieces> byDevice = new IdentityHashMap<>();

    /**
     * Empty staging memory.
     *
     * @param devices how many devices do the work; between several, what is copied must have arrived
     */
    HostStaging(int devices) {
        this.submits = devices == 1;
    }

    /** Writes an array into the first bytes of a tensor: at once, or in the order of the backend's stream. */
    void write(BoundTensor tensor, Backend backend, MemorySegment array) {
        if (tensor.buffer().isHost()) {
            tensor.set(0, array);
            return;
        }
        MemorySegment piece = piece(backend.device(), array.byteSize());
        piece.copyFrom(array);
        if (submits(backend)) {
            backend.setAsync(tensor, 0, piece);
        } else {
            tensor.set(0, piece);
        }
    }

    /**
     * Reads the first bytes of a tensor: at once, or in the order of the backend's stream.
     *
     * @return where they are, once the backend has been synchronized, until {@link #release()}
     */
    MemorySegment read(BoundTensor tensor, Backend backend, long bytes) {
        MemorySegment piece = piece(backend.device(), bytes);
        if (submits(backend)) {
            backend.getAsync(tensor, 0, piece);
        } else {
            tensor.get(0, piece);
        }
        return piece;
    }

    /** Whether transfers with that backend are submitted, and done only when it has been synchronized. */
    boolean submits(Backend backend) {
        return submits && backend.device().capabilities().contains(Capability.ASYNC);
    }

    /** Says that no transfer is under way, and that nobody reads what was read before. */
    void release() {
        byDevice.values().forEach(Pieces::release);
    }

    private MemorySegment piece(Device device, long bytes) {
        @Nullable Pieces pieces = byDevice.get(device);
        if (pieces == null) {
            pieces = new Pieces(device.hostBufferType().orElse(HostBufferType.standard()));
            byDevice.put(device, pieces);
        }
        return pieces.next(bytes);
    }

    @Override
    public void close() {
        byDevice.values().forEach(Pieces::close);
        byDevice.clear();
    }

    /** Pieces of buffers, one after the other. */
    private static final class Pieces {

        private final BufferType type;
        private final List<Buffer> buffers = new ArrayList<>();
        /** How much of the last buffer is in use. */
        private long used;

        Pieces(BufferType type) {
            this.type = type;
        }

        MemorySegment next(long bytes) {
            if (buffers.isEmpty() || bytes > buffers.getLast().size() - used) {
                long size = buffers.stream().mapToLong(Buffer::size).sum();
                buffers.add(Allocations.allocate(type, Math.max(bytes, size)));
                used = 0;
            }
            MemorySegment piece = buffers.getLast().segment().asSlice(used, bytes);
            used = Math.min(buffers.getLast().size(), Math.ceilDiv(used + bytes, ALIGNMENT) * ALIGNMENT);
            return piece;
        }

        /** Keeps the last buffer, which is the largest. */
        void release() {
            while (buffers.size() > 1) {
                buffers.removeFirst().close();
            }
            used = 0;
        }

        void close() {
            buffers.forEach(Buffer::close);
            buffers.clear();
        }
    }
}
