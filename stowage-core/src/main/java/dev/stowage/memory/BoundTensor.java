package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A tensor and where it is stored: a buffer and an offset. A tensor with memory of its own has one such place, which
 * {@link #of} gives; any other has one in every graph it is bound in, which the bound graph gives. This is what bytes
 * are read and written through, and what kernels see. Immutable.
 */
public final class BoundTensor {

    private final Tensor tensor;
    private final Buffer buffer;
    private final long offset;

    BoundTensor(Tensor tensor, Buffer buffer, long offset) {
        this.tensor = tensor;
        this.buffer = buffer;
        this.offset = offset;
    }

    /**
     * A tensor in the memory of its own.
     *
     * @throws AccessException if it has none, or memory that is not a buffer
     */
    public static BoundTensor of(Tensor tensor) {
        return new BoundTensor(tensor, Buffer.of(tensor), tensor.storageOffset());
    }

    /**
     * A tensor at an offset of a buffer, wherever else it may be stored.
     *
     * @throws AccessException if it does not fit there
     */
    public static BoundTensor at(Tensor tensor, Buffer buffer, long offset) {
        requireFit(tensor, buffer, offset);
        return new BoundTensor(tensor, Objects.requireNonNull(buffer), offset);
    }

    /**
     * Checks that a tensor does not reach beyond a buffer.
     *
     * @throws AccessException if it does not fit at that offset
     */
    public static void requireFit(Tensor tensor, Buffer buffer, long offset) {
        if (offset < 0 || offset > buffer.size() - tensor.byteSize()) {
            throw new AccessException(tensor.describe() + " of " + tensor.byteSize() + " bytes does not fit at offset "
                    + offset + " of the buffer " + buffer);
        }
    }

    public Tensor tensor() {
        return tensor;
    }

    public Buffer buffer() {
        return buffer;
    }

    /** The offset of the tensor's first byte in its buffer. */
    public long offset() {
        return offset;
    }

    public Layout layout() {
        return tensor.layout();
    }

    public ElementType type() {
        return tensor.type();
    }

    public Shape shape() {
        return tensor.shape();
    }

    /** Elements along dimension {@code i}, from 0 (innermost) to 3. */
    public long dim(int i) {
        return tensor.dim(i);
    }

    /** Bytes between neighbours along dimension {@code i}. */
    public long stride(int i) {
        return tensor.stride(i);
    }

    public long byteSize() {
        return tensor.byteSize();
    }

    /** Name, op and layout of the tensor, for messages. */
    public String describe() {
        return tensor.describe();
    }

    /** Writes all of {@code source} from byte {@code at} of the tensor on; see {@link Buffer#set}. */
    public void set(long at, MemorySegment source) {
        buffer.set(this, at, source);
    }

    /** Fills all of {@code target} from byte {@code at} of the tensor on; see {@link Buffer#get}. */
    public void get(long at, MemorySegment target) {
        buffer.get(this, at, target);
    }

    /** Sets {@code length} bytes from byte {@code at} of the tensor on to {@code value}. */
    public void memset(long at, long length, byte value) {
        buffer.memset(this, at, length, value);
    }

    /**
     * The bytes of the tensor in place, for code that runs on the host. A run holds a lease on the buffer, so that its
     * kernels get them although the buffer may have been closed since the run began.
     *
     * @throws AccessException if the host cannot reach them
     * @throws dev.stowage.error.ClosedException if the buffer is closed and there is no lease on it
     */
    public MemorySegment segment() {
        return buffer.leasedSegment().asSlice(offset, tensor.byteSize());
    }

    /** Whether this tensor is stored in that buffer. */
    boolean isIn(Buffer other) {
        return buffer.is(other);
    }

    /** Whether another is the same tensor in the same place. */
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof BoundTensor that
                && tensor == that.tensor
                && offset == that.offset
                && buffer.is(that.buffer);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(tensor.serial()) * 31 + Long.hashCode(offset);
    }

    @Override
    public String toString() {
        return tensor.describe() + " at offset " + offset + " of " + buffer;
    }
}
