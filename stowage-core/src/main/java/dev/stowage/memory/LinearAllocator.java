package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Tensor;

/**
 * A bump allocator over one buffer, ggml's {@code ggml_tallocr}: places tensors one after the other and never frees
 * one. For weights and other tensors that live as long as their buffer.
 *
 * <pre>
 *   buffer  |gap| tensor, padded | tensor, padded | ...      |
 *           0   first multiple of the alignment   used()     size
 * </pre>
 *
 * <p>Thread-safe.
 */
public final class LinearAllocator {

    private final Buffer buffer;
    private long used;

    /**
     * Starts at the first aligned address of {@code buffer}, which stays with its owner.
     *
     * @throws ClosedException if the buffer is closed
     * @throws AccessException if the buffer is a {@link MultiBuffer}, which has no single address range: use its parts
     */
    public LinearAllocator(Buffer buffer) {
        this.buffer = buffer;
        this.used = Alignment.gap(buffer.address(), buffer.type().alignment());
    }

    /** The buffer that tensors are placed in. */
    public Buffer buffer() {
        return buffer;
    }

    /** The bytes that are taken, gaps for alignment included: the offset of the next tensor. */
    public synchronized long used() {
        return used;
    }

    /** The free bytes. A tensor fits if its size, padded to the alignment, does not exceed them. */
    public synchronized long remaining() {
        return Math.max(0, buffer.size() - used);
    }

    /**
     * Places {@code tensor} at the next free offset, and returns that offset. If this fails, nothing has changed.
     *
     * @throws AllocationException if there is not enough space
     * @throws InvalidTensorException if it is a view, which is stored where its source is
     * @throws ClosedException if the buffer is closed
     */
    public synchronized long allocate(Tensor tensor) {
        buffer.requireOpen();
        long needed = Alignment.paddedSize(buffer.type(), tensor);
        if (!tensor.isView() && (needed > remaining() || used > buffer.size())) {
            throw new AllocationException(
                    tensor.describe() + " needs " + needed + " bytes, padded to multiples of "
                            + buffer.type().alignment() + ", but only " + remaining() + " are left in the buffer "
                            + buffer + ": take a larger one",
                    buffer.name(),
                    needed,
                    remaining());
        }
        long offset = used;
        buffer.place(tensor, offset);
        used = offset + needed;
        return offset;
    }
}
