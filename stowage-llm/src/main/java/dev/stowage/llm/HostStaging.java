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
import java.util.List;

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
    /** A few: one for each device that was transferred with. */
    private final List<Pieces> all = new ArrayList<>();

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
        Pieces pieces = pieces(backend.device());
        MemorySegment piece = pieces.next(array.byteSize());
        piece.copyFrom(array);
        if (pieces.submits) {
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
        Pieces pieces = pieces(backend.device());
        MemorySegment piece = pieces.next(bytes);
        if (pieces.submits) {
            backend.getAsync(tensor, 0, piece);
        } else {
            tensor.get(0, piece);
        }
        return piece;
    }

    /** Whether transfers with that backend are submitted, and done only when it has been synchronized. */
    boolean submits(Backend backend) {
        return pieces(backend.device()).submits;
    }

    /** Staging memory for a transfer with that backend, until {@link #release()}. */
    MemorySegment piece(Backend backend, long bytes) {
        return pieces(backend.device()).next(bytes);
    }

    /** Says that no transfer is under way, and that nobody reads what was read before. */
    void release() {
        for (int i = 0; i < all.size(); i++) {
            all.get(i).release();
        }
    }

    private Pieces pieces(Device device) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).device.equals(device)) {
                return all.get(i);
            }
        }
        Pieces made = new Pieces(device, submits && device.capabilities().contains(Capability.ASYNC));
        all.add(made);
        return made;
    }

    @Override
    public void close() {
        all.forEach(Pieces::close);
        all.clear();
    }

    /**
     * Pieces of buffers, one after the other. Those of a run are given out again by the next one that asks for the same
     * sizes, so that it creates no garbage.
     */
    private static final class Pieces {

        private final Device device;
        private final boolean submits;
        private final List<Buffer> buffers = new ArrayList<>();
        /** Pieces of the last buffer that were given out since or before {@link #release()}, and how many since. */
        private final List<MemorySegment> known = new ArrayList<>();

        private int given;
        /** How much of the last buffer is in use. */
        private long used;

        Pieces(Device device, boolean submits) {
            this.device = device;
            this.submits = submits;
        }

        MemorySegment next(long bytes) {
            if (buffers.isEmpty() || bytes > buffers.getLast().size() - used) {
                grow(bytes);
            }
            if (given < known.size() && known.get(given).byteSize() != bytes) {
                forgetFrom(given);
            }
            if (given == known.size()) {
                known.add(buffers.getLast().segment().asSlice(used, bytes));
            }
            used = Math.min(buffers.getLast().size(), Math.ceilDiv(used + bytes, ALIGNMENT) * ALIGNMENT);
            return known.get(given++);
        }

        /** Takes a buffer with room for everything that was given out since {@link #release()}, and these bytes. */
        private void grow(long bytes) {
            long size = bytes;
            for (Buffer buffer : buffers) {
                size = Math.addExact(size, buffer.size());
            }
            BufferType type = device.hostBufferType().orElse(HostBufferType.standard());
            buffers.add(Allocations.allocate(type, Math.ceilDiv(size, ALIGNMENT) * ALIGNMENT));
            forgetFrom(0);
            given = 0;
            used = 0;
        }

        /** Pieces after one of another size begin elsewhere. */
        private void forgetFrom(int first) {
            known.subList(first, known.size()).clear();
        }

        /** Keeps the last buffer, in which all pieces of a run like the last one fit. */
        void release() {
            while (buffers.size() > 1) {
                buffers.removeFirst().close();
            }
            given = 0;
            used = 0;
        }

        void close() {
            known.clear();
            buffers.forEach(Buffer::close);
            buffers.clear();
        }
    }
}
