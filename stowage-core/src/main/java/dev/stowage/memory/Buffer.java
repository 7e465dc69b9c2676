package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Storage;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A piece of memory that tensors are placed in: the owner of its bytes until it is {@linkplain #close() closed}. The
 * public methods check everything (open, range, placement, layout) before a byte is touched; what differs from memory
 * to memory is in a few protected methods that can rely on those checks.
 *
 * <p>Name, type, size and usage can be asked for at any time; everything else throws {@link ClosedException} once the
 * buffer is closed. Closing does not displace the tensors that lie in the buffer: reaching for their bytes throws, and
 * {@link Tensor#displace()} frees them for another place.
 *
 * <p>A buffer may be used from any thread. Accesses to the same bytes by several threads are for the caller to order,
 * and closing must not race with any use.
 */
public abstract class Buffer implements Storage, AutoCloseable {

    private final BufferType type;
    private final long size;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile BufferUsage usage = BufferUsage.ANY;

    /**
     * For implementers: a buffer of that type and size, open and for any use.
     *
     * @throws AllocationException if the size is negative
     */
    protected Buffer(BufferType type, long size) {
        if (size < 0) {
            throw new AllocationException(
                    "a buffer of " + type.name() + " cannot have " + size + " bytes",
                    type.name(),
                    size,
                    type.maxBufferSize());
        }
        this.type = Objects.requireNonNull(type);
        this.size = size;
    }

    /**
     * The buffer that {@code tensor} lies in.
     *
     * @throws AccessException if it has no memory yet, or memory that is no buffer
     */
    public static Buffer of(Tensor tensor) {
        Storage storage = tensor.storage();
        if (storage instanceof Buffer buffer) {
            return buffer;
        }
        throw new AccessException(
                tensor.describe() + " lies in " + storage.name() + ", which is no buffer: its bytes cannot be reached");
    }

    /**
     * Copies the bytes of one tensor into another, wherever the two lie. Where neither lies in host memory and the
     * target's buffer cannot copy directly, the bytes go piece by piece through a bounded piece of host memory. The
     * two may overlap: the result is as if the source had been read as a whole first.
     *
     * @throws InvalidTensorException if the layouts differ
     * @throws AccessException if one has no memory, or the target cannot be written
     * @throws ClosedException if one of the buffers is closed
     */
    public static void copy(Tensor from, Tensor to) {
        TensorCopy.copy(from, to);
    }

    /** The name of the kind of memory this is. */
    @Override
    public String name() {
        return type.name();
    }

    /** The kind of memory this is. */
    public final BufferType type() {
        return type;
    }

    @Override
    public final long size() {
        return size;
    }

    /** What this buffer is for; {@link BufferUsage#ANY} unless {@linkplain #setUsage set}. */
    public final BufferUsage usage() {
        return usage;
    }

    /** Says what this buffer is for, and returns this buffer. */
    public final Buffer setUsage(BufferUsage newUsage) {
        requireOpen();
        Objects.requireNonNull(newUsage);
        onUsage(newUsage);
        usage = newUsage;
        return this;
    }

    /** Whether the processor reads and writes this memory directly. */
    public final boolean isHost() {
        return type.isHost();
    }

    /** Whether {@link #close()} has been called. */
    public final boolean isClosed() {
        return closed.get();
    }

    /** Whether writing is refused; reading and placing tensors is not. */
    public boolean isReadOnly() {
        return false;
    }

    /**
     * The address of the first byte. Only memory of the {@linkplain #isHost() host} lies there for this process;
     * elsewhere the number serves to tell how offsets are aligned.
     */
    public final long address() {
        requireOpen();
        return baseAddress();
    }

    /** Whether {@link #segment()} can be had; false when closed. */
    public final boolean hasSegment() {
        return !isClosed() && hostSegment() != null;
    }

    /**
     * All bytes of this buffer, for code that runs on the host and works in place; read-only where the buffer is. The
     * segment ends with the buffer.
     *
     * @throws AccessException if the host cannot reach these bytes
     */
    public final MemorySegment segment() {
        requireOpen();
        MemorySegment segment = hostSegment();
        if (segment == null) {
            throw new AccessException(
                    name() + " has no bytes the host can reach: read them with get(), write them with set()");
        }
        return segment;
    }

    /** Sets every byte to {@code value}. */
    public final void clear(byte value) {
        requireOpen();
        requireWritable();
        if (size > 0) {
            fill(0, size, value);
        }
    }

    /** Forgets what the memory keeps about its tensors beside their bytes; for most kinds of memory that is nothing. */
    public final void reset() {
        requireOpen();
        onReset();
    }

    /**
     * Gives {@code tensor} its place {@code offset} bytes behind the first byte, taking it away from where it lay
     * before. Whether other tensors lie there too is for the caller to know.
     *
     * @throws InvalidTensorException if it is a view, which lies where its source lies
     * @throws AccessException if the offset is not aligned, or the tensor would reach beyond the buffer
     */
    public final void place(Tensor tensor, long offset) {
        requireOpen();
        requirePlaceable(tensor, offset);
        Storage before = tensor.isPlaced() ? tensor.storage() : null;
        long offsetBefore = before == null ? 0 : tensor.storageOffset();
        tensor.moveTo(this, offset);
        try {
            initialize(tensor);
        } catch (RuntimeException | Error e) {
            if (before == null) {
                tensor.displace();
            } else {
                tensor.moveTo(before, offsetBefore);
            }
            throw e;
        }
    }

    /**
     * Tells this memory about a view of a tensor that lies here, as {@link #place} does about tensors that are none.
     *
     * @throws InvalidTensorException if it is no view
     * @throws AccessException if its source does not lie here
     */
    public final void initializeView(Tensor view) {
        requireOpen();
        view.viewSource();
        requireHere(view);
        initialize(view);
    }

    /**
     * Writes all of {@code source} into {@code tensor}, beginning {@code offset} bytes behind the tensor's first. The
     * bytes are taken as they are, gaps between the elements of a strided tensor included.
     *
     * @throws AccessException if the tensor does not lie here, the range is not within it, or this is read-only
     */
    public final void set(Tensor tensor, long offset, MemorySegment source) {
        requireOpen();
        requireWritable();
        requireRange("write", tensor, offset, source.byteSize());
        requireUsable(source);
        if (source.byteSize() > 0) {
            write(tensor, tensor.storageOffset() + offset, source);
        }
    }

    /**
     * Fills all of {@code target} from {@code tensor}, beginning {@code offset} bytes behind the tensor's first. The
     * bytes are taken as they are, gaps between the elements of a strided tensor included.
     *
     * @throws AccessException if the tensor does not lie here, the range is not within it, or the target is read-only
     */
    public final void get(Tensor tensor, long offset, MemorySegment target) {
        requireOpen();
        requireRange("read", tensor, offset, target.byteSize());
        requireUsable(target);
        if (target.isReadOnly()) {
            throw new AccessException("cannot read " + tensor.describe() + " into a read-only segment of "
                    + target.byteSize() + " bytes");
        }
        if (target.byteSize() > 0) {
            read(tensor, tensor.storageOffset() + offset, target);
        }
    }

    /**
     * Sets {@code length} bytes of {@code tensor} to {@code value}, beginning {@code offset} bytes behind its first.
     *
     * @throws AccessException if the tensor does not lie here, the range is not within it, or this is read-only
     */
    public final void memset(Tensor tensor, long offset, long length, byte value) {
        requireOpen();
        requireWritable();
        requireRange("fill", tensor, offset, length);
        if (length > 0) {
            fill(tensor, tensor.storageOffset() + offset, length, value);
        }
    }

    /**
     * Checks that {@code length} bytes from {@code offset} on can be reached in {@code tensor}, and does nothing else: for
     * those who hand a transfer in and make it later.
     *
     * @throws AccessException if the tensor does not lie here, or the range is not within it
     */
    public final void requireReachable(Tensor tensor, long offset, long length) {
        requireOpen();
        requireRange("reach", tensor, offset, length);
    }

    /**
     * Writes rows of {@code source} as rows of {@code tensor}: as {@link #set}, with gaps between the rows on either side.
     *
     * @throws AccessException if the two differ in number or length of rows, or one reaches out of its bytes
     */
    public final void setRows(Tensor tensor, RowRange target, MemorySegment source, RowRange from) {
        requireOpen();
        requireWritable();
        requireRows("write", tensor, target, source, from);
        if (!target.isEmpty()) {
            writeRows(tensor, target.movedBy(tensor.storageOffset()), source, from);
        }
    }

    /**
     * Reads rows of {@code tensor} into rows of {@code target}: as {@link #get}, with gaps between the rows on either side.
     *
     * @throws AccessException if the two differ in number or length of rows, one reaches out of its bytes, or the
     *     target is read-only
     */
    public final void getRows(Tensor tensor, RowRange source, MemorySegment target, RowRange to) {
        requireOpen();
        requireRows("read", tensor, source, target, to);
        if (target.isReadOnly()) {
            throw new AccessException("cannot read " + tensor.describe() + " into a read-only segment of "
                    + target.byteSize() + " bytes");
        }
        if (!source.isEmpty()) {
            readRows(tensor, source.movedBy(tensor.storageOffset()), target, to);
        }
    }

    private void requireRows(String verb, Tensor tensor, RowRange inTensor, MemorySegment segment, RowRange inSegment) {
        requireHere(tensor);
        requireUsable(segment);
        if (inTensor.rows() != inSegment.rows() || inTensor.rowBytes() != inSegment.rowBytes()) {
            throw new AccessException("cannot " + verb + " " + tensor.describe() + ": " + inTensor.rows() + " rows of "
                    + inTensor.rowBytes() + " bytes on one side, " + inSegment.rows() + " of " + inSegment.rowBytes()
                    + " on the other");
        }
        if (inTensor.end() > tensor.byteSize() || inSegment.end() > segment.byteSize()) {
            throw new AccessException("cannot " + verb + " rows up to byte " + inTensor.end() + " of "
                    + tensor.describe() + ", which has " + tensor.byteSize() + " bytes, and up to byte "
                    + inSegment.end() + " of a segment of " + segment.byteSize());
        }
    }

    /** Gives the memory back. Closing again does nothing. */
    @Override
    public final void close() {
        if (closed.compareAndSet(false, true)) {
            release();
        }
    }

    /** Name, size, usage and whether closed, for messages: {@code host (4096 bytes, WEIGHTS)}. */
    @Override
    public String toString() {
        return name() + " (" + size + " bytes, " + usage + (isClosed() ? ", closed)" : ")");
    }

    /** The address of the first byte; see {@link #address()}. */
    protected abstract long baseAddress();

    /** All bytes as a segment, always the same one, or null where the host cannot reach them. */
    protected @Nullable MemorySegment hostSegment() {
        return null;
    }

    /**
     * Writes all of {@code source} at {@code offset} of this buffer, and is done with it on return. The range is within
     * the tensor and not empty; the source may be on the Java heap, and may be confined to the calling thread.
     */
    protected abstract void write(Tensor tensor, long offset, MemorySegment source);

    /**
     * Fills all of {@code target} from {@code offset} of this buffer on, and is done with it on return. The range is
     * within the tensor and not empty; the target may be on the Java heap, and may be confined to the calling thread.
     */
    protected abstract void read(Tensor tensor, long offset, MemorySegment target);

    /** Writes rows; as {@link #write} for each of them, for memory that can do it in one go. */
    protected void writeRows(Tensor tensor, RowRange target, MemorySegment source, RowRange from) {
        for (long row = 0; row < target.rows(); row++) {
            write(tensor, target.start(row), source.asSlice(from.start(row), from.rowBytes()));
        }
    }

    /** Reads rows; as {@link #read} for each of them, for memory that can do it in one go. */
    protected void readRows(Tensor tensor, RowRange source, MemorySegment target, RowRange to) {
        for (long row = 0; row < source.rows(); row++) {
            read(tensor, source.start(row), target.asSlice(to.start(row), to.rowBytes()));
        }
    }

    /** Sets {@code length} bytes from {@code offset} on to {@code value}; the range is within this buffer. */
    protected abstract void fill(long offset, long length, byte value);

    /** Sets a range within a tensor; for memory that keeps the bytes of a tensor in an order of its own. */
    protected void fill(Tensor tensor, long offset, long length, byte value) {
        fill(offset, length, value);
    }

    /**
     * Copies a tensor of another buffer, or of this one, to one that lies here without the host in between, if that is
     * possible. The two have the same layout and are not empty. Outside of host memory they do not overlap, unless they
     * are the very same bytes.
     *
     * @return false if it is not possible; nothing has been written then
     */
    protected boolean copyFrom(Tensor from, Tensor to) {
        return false;
    }

    /**
     * Called when {@code tensor} has been given its place here, or is a view of one that has; may be called again for
     * the same tensor. If it throws, the tensor goes back to where it was.
     */
    protected void initialize(Tensor tensor) {}

    /** Called before the usage changes. */
    protected void onUsage(BufferUsage newUsage) {}

    /** Called by {@link #reset()}. */
    protected void onReset() {}

    /** Gives the memory back; called once, even if it throws. */
    protected abstract void release();

    /** Throws if this buffer is closed. */
    final void requireOpen() {
        if (closed.get()) {
            throw new ClosedException("the buffer " + this + " was closed and cannot be used any more");
        }
    }

    /** Throws if this buffer cannot be written. */
    final void requireWritable() {
        if (isReadOnly()) {
            throw new AccessException(
                    "the buffer " + this + " is read-only: copy its tensors to another to change them");
        }
    }

    /** Whether that is this very buffer. */
    @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory, whatever else they have in common
    final boolean is(Storage other) {
        return this == other;
    }

    /** Throws if {@code tensor} lies elsewhere, or nowhere. */
    final void requireHere(Tensor tensor) {
        Storage storage = tensor.storage();
        if (!is(storage)) {
            throw new AccessException(tensor.describe() + " lies in another buffer, of " + storage.name()
                    + ", and not in this one, " + this + ": ask Buffer.of(tensor)");
        }
    }

    private void requireRange(String verb, Tensor tensor, long offset, long length) {
        requireHere(tensor);
        if (offset < 0 || length < 0 || length > tensor.byteSize() - offset) {
            throw new AccessException("cannot " + verb + " " + length + " bytes at byte " + offset + " of "
                    + tensor.describe() + ", which has " + tensor.byteSize() + " bytes");
        }
    }

    private void requirePlaceable(Tensor tensor, long offset) {
        if (tensor.isView()) {
            throw new InvalidTensorException(tensor.describe() + " is a view and lies where its source lies: place "
                    + tensor.viewSource().describe() + " instead");
        }
        long address = baseAddress() + offset;
        long needed = type.allocationSize(tensor);
        if (offset < 0 || offset > size - needed) {
            throw new AccessException(tensor.describe() + " takes " + needed + " bytes and does not fit at offset "
                    + offset + " of the buffer " + this);
        }
        if (!Alignment.isMultiple(address, type.alignment())) {
            throw new AccessException(tensor.describe() + " cannot lie at offset " + offset + " of the buffer " + this
                    + ": address " + address + " is no multiple of " + type.alignment());
        }
    }

    /** Throws if the calling thread cannot reach the bytes of {@code segment}, or no thread can any more. */
    static void requireUsable(MemorySegment segment) {
        if (!segment.scope().isAlive()) {
            throw new ClosedException("the segment of " + segment.byteSize() + " bytes belongs to a closed arena");
        }
        if (!segment.isAccessibleBy(Thread.currentThread())) {
            throw new AccessException("the segment of " + segment.byteSize()
                    + " bytes is confined to another thread: take it from a shared arena");
        }
    }
}
