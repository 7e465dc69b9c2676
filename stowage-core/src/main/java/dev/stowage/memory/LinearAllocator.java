package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Tensor;

/**
 * Places tensors in one buffer, one behind the other, and never takes a place back: for weights and other tensors that
 * live as long as their buffer.
 *
 * <pre>
 *   buffer  |gap| tensor, padded | tensor, padded | ...      |
 *           0   first multiple of the alignment   used()     size
 * </pre>
 *
 * <p>May be used from any thread.
 */
public final class LinearAllocator {

    private final Buffer buffer;
    private long used;

    /**
     * Starts at the first aligned address of {@code buffer}, which stays with its owner.
     *
     * @throws ClosedException if the buffer is closed
     * @throws AccessException if the buffer is a {@link MultiBuffer}, whose parts are to be taken one by one
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

    /** The bytes that are left. A tensor fits if its size, padded to the alignment, is no larger. */
    public synchronized long remaining() {
        return Math.max(0, buffer.size() - used);
    }

    /**
     * Places {@code tensor} behind those placed before, and returns its offset. If that fails, nothing has changed.
     *
     * @throws AllocationException if too little is left
     * @throws InvalidTensorException if it is a view, which lies where its source lies
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
