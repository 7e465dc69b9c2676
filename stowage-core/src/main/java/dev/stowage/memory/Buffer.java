package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.DeviceLostException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.Storage;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Memory that tensors are stored in; ggml's {@code ggml_backend_buffer}. A buffer owns its bytes until it is
 * {@linkplain #close() closed}. Public methods check everything (open, range, layout), then call a protected hook of
 * the same name ({@code set} calls {@link #doSet}), which can rely on those checks.
 *
 * <p>Name, type, size and usage can be asked for at any time; everything else throws {@link ClosedException} once the
 * buffer is closed. A tensor that was given memory of its own here keeps that place until then.
 *
 * <p><b>Threads and closing.</b> A buffer may be used from any thread. Accesses to the same bytes by several threads
 * must be ordered by the caller. Closing may race with any use: reads, writes and runs hold {@linkplain BufferLeases a
 * lease}, and the memory is freed when the last lease ends.
 */
public abstract class Buffer extends Storage implements AutoCloseable {

    private final BufferType type;
    private final long size;
    private final LeaseCount leases = new LeaseCount();
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
     * The buffer that a tensor with memory of its own is stored in.
     *
     * @throws AccessException if it has none, or memory that is not a buffer
     */
    public static Buffer of(Tensor tensor) {
        Storage storage = storageOf(tensor);
        if (storage instanceof Buffer buffer) {
            return buffer;
        }
        throw new AccessException(tensor.describe() + " is stored in " + storage.name()
                + ", not in a buffer: its bytes cannot be reached");
    }

    /** Whether the memory that a tensor is stored in, a buffer or not, is closed. */
    static boolean isStorageClosed(Tensor tensor) {
        return storageOf(tensor).isClosed();
    }

    /** As {@link #of}, or null if the tensor is stored in memory that is not a buffer. */
    static @Nullable Buffer find(Tensor tensor) {
        return storageOf(tensor) instanceof Buffer buffer ? buffer : null;
    }

    /** As {@link #copy(BoundTensor, BoundTensor)}, for tensors with memory of their own. */
    public static void copy(Tensor from, Tensor to) {
        copy(BoundTensor.of(from), BoundTensor.of(to));
    }

    /**
     * Copies the bytes of one tensor into another, wherever the two are stored. Where neither is in host memory and the
     * target's buffer cannot copy directly, the bytes go piece by piece through a bounded piece of host memory. The
     * two may overlap: the result is as if the source had been read as a whole first.
     *
     * @throws InvalidTensorException if the layouts differ
     * @throws AccessException if the target cannot be written
     * @throws ClosedException if one of the buffers is closed
     */
    public static void copy(BoundTensor from, BoundTensor to) {
        TensorCopy.copy(new TensorPair(from, to));
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
    @Override
    public final boolean isClosed() {
        return leases.isClosed();
    }

    /**
     * Takes a lease: the memory stays until {@link #releaseLease()}, even if the buffer is closed meanwhile. Other
     * classes use {@link BufferLeases}, which cannot release a lease that they did not take.
     *
     * @throws ClosedException if the buffer is closed; no lease is taken then
     */
    final void acquire() {
        if (!leases.tryAcquire()) {
            requireOpen();
        }
        boolean usable = false;
        try {
            onAcquire();
            usable = true;
        } finally {
            if (!usable) {
                releaseLease();
            }
        }
    }

    /**
     * As {@link #acquire()}, for work that may reach the bytes by address: foreign memory is kept from
     * being freed too. Ended by {@link #endWork()}.
     */
    final void acquireForWork() {
        acquire();
        boolean held = false;
        try {
            onWork();
            held = true;
        } finally {
            if (!held) {
                releaseLease();
            }
        }
    }

    /** Ends what {@link #acquireForWork()} began. */
    final void endWork() {
        onWorkEnd();
        releaseLease();
    }

    /** Called when work takes a lease, for memory that depends on something else. */
    void onWork() {}

    /** Called when work ends its lease. */
    void onWorkEnd() {}

    /**
     * Takes a lease on a buffer that may be closed, as long as others hold leases.
     *
     * @throws ClosedException if its memory has been freed
     */
    final void acquireWhileLeased() {
        if (!leases.tryAcquireWhileLeased()) {
            requireOpen();
        }
    }

    /** Ends a lease. The last one on a closed buffer frees the memory. */
    final void releaseLease() {
        if (leases.release()) {
            free();
        }
    }

    /** The memory of a lost device is gone with it, so that closing succeeds. */
    private void free() {
        try {
            doClose();
        } catch (DeviceLostException ignored) {
            // nothing to be done about it
        }
    }

    /** Whether writing is refused; reading and placing tensors is not. */
    public boolean isReadOnly() {
        return false;
    }

    /**
     * The address of the first byte in the memory that this is a part of, which need not be the host's; 0 for memory
     * that is a handle and has no address. Tensors are stored at offsets; the address determines their alignment.
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
     * Whether {@link #segment()} can be had and is memory that any thread may reach by address: outside the Java heap,
     * and not confined to a thread, which could free it unnoticed.
     */
    public final boolean hasNativeSegment() {
        MemorySegment segment = isClosed() ? null : hostSegment();
        return segment != null && AccessChecks.isReachedByAddress(segment);
    }

    /**
     * All bytes of this buffer, for code that runs on the host and works in place; read-only where the buffer is. The
     * segment ends with the buffer.
     *
     * @throws AccessException if the host cannot reach these bytes
     */
    public final MemorySegment segment() {
        requireOpen();
        return hostBytes();
    }

    /**
     * As {@link #segment()}, for work that holds a lease: a buffer that is closed meanwhile keeps its bytes until the
     * lease ends.
     */
    final MemorySegment leasedSegment() {
        if (leases.isFreed()) {
            requireOpen();
        }
        return hostBytes();
    }

    private MemorySegment hostBytes() {
        onAcquire();
        MemorySegment segment = hostSegment();
        if (segment == null) {
            throw new AccessException(
                    name() + " has no bytes the host can reach: read them with get(), write them with set()");
        }
        return segment;
    }

    /** Sets every byte to {@code value}. */
    public final void clear(byte value) {
        BufferTransfers.clear(this, value);
    }

    /** Drops state about tensors that this memory keeps besides their bytes, if any. */
    public final void reset() {
        requireOpen();
        onReset();
    }

    /**
     * Gives {@code tensor} memory of its own, {@code offset} bytes from the first byte on, until this buffer is closed.
     * Overlap with other tensors is not checked.
     *
     * @throws InvalidTensorException if it is a view, which is stored where its source is
     * @throws AccessException if the offset is not aligned, the tensor would reach beyond the buffer, or it has other
     *     memory that is still open
     */
    public final void place(Tensor tensor, long offset) {
        AccessChecks.requirePlaceable(this, tensor, offset);
        doInitialize(new BoundTensor(tensor, this, offset));
        assign(tensor, offset);
    }

    /**
     * Checks that {@code tensor} could be stored at an offset of this buffer, and prepares the memory for it.
     *
     * @throws InvalidTensorException if it is a view, or this memory cannot hold such a tensor
     * @throws AccessException if the offset is not aligned, or the tensor would reach beyond the buffer
     */
    public final void initialize(Tensor tensor, long offset) {
        AccessChecks.requirePlaceable(this, tensor, offset);
        doInitialize(new BoundTensor(tensor, this, offset));
    }

    /**
     * As {@link #initialize(Tensor, long)} or {@link #initializeView} for each of these tensors, in one call.
     *
     * @throws InvalidTensorException if this memory cannot hold one of them
     * @throws AccessException if one is not in this buffer, is not aligned, or reaches beyond the buffer
     */
    public final void initialize(List<BoundTensor> tensors) {
        for (BoundTensor tensor : tensors) {
            AccessChecks.requireIn(this, tensor);
            if (!tensor.tensor().isView()) {
                AccessChecks.requirePlaceable(this, tensor.tensor(), tensor.offset());
            }
        }
        requireOpen();
        doInitialize(tensors);
    }

    /**
     * Informs this memory about a view of a tensor that is stored here, as {@link #place} does about other tensors.
     *
     * @throws InvalidTensorException if it is not a view
     * @throws AccessException if its source is not stored here
     */
    public final void initializeView(BoundTensor view) {
        requireOpen();
        view.tensor().viewSource();
        AccessChecks.requireIn(this, view);
        doInitialize(view);
    }

    /** As {@link #set(BoundTensor, long, MemorySegment)}, for a tensor with memory of its own. */
    public final void set(Tensor tensor, long offset, MemorySegment source) {
        set(BoundTensor.of(tensor), offset, source);
    }

    /**
     * Writes all of {@code source} into {@code tensor}, beginning at byte {@code offset} of the tensor. The bytes are
     * taken as they are, gaps between the elements of a strided tensor included.
     *
     * @throws AccessException if the tensor is not stored here, the range is not within it, or this is read-only
     */
    public final void set(BoundTensor tensor, long offset, MemorySegment source) {
        BufferTransfers.set(this, tensor, offset, source);
    }

    /** As {@link #get(BoundTensor, long, MemorySegment)}, for a tensor with memory of its own. */
    public final void get(Tensor tensor, long offset, MemorySegment target) {
        get(BoundTensor.of(tensor), offset, target);
    }

    /**
     * Fills all of {@code target} from {@code tensor}, beginning at byte {@code offset} of the tensor. The bytes are
     * taken as they are, gaps between the elements of a strided tensor included.
     *
     * @throws AccessException if the tensor is not stored here, the range is not within it, or the target is read-only
     */
    public final void get(BoundTensor tensor, long offset, MemorySegment target) {
        BufferTransfers.get(this, tensor, offset, target);
    }

    /** As {@link #memset(BoundTensor, long, long, byte)}, for a tensor with memory of its own. */
    public final void memset(Tensor tensor, long offset, long length, byte value) {
        memset(BoundTensor.of(tensor), offset, length, value);
    }

    /**
     * Sets {@code length} bytes of {@code tensor} to {@code value}, beginning at byte {@code offset} of the tensor.
     *
     * @throws AccessException if the tensor is not stored here, the range is not within it, or this is read-only
     */
    public final void memset(BoundTensor tensor, long offset, long length, byte value) {
        BufferTransfers.memset(this, tensor, offset, length, value);
    }

    /**
     * Checks that {@code length} bytes from {@code offset} on can be reached in {@code tensor}, and does nothing else:
     * for transfers that are submitted now and made later.
     *
     * @throws AccessException if the tensor is not stored here, or the range is not within it
     */
    public final void requireReachable(BoundTensor tensor, long offset, long length) {
        requireOpen();
        AccessChecks.requireRange(this, "reach", tensor, offset, length);
    }

    /**
     * Checks that rows of {@code tensor} and as many of {@code segment} can be exchanged, for callers that move them
     * themselves.
     *
     * @throws AccessException if the two differ in number or length of rows, or one reaches out of its bytes
     */
    public final void requireReachableRows(
            BoundTensor tensor, RowRange inTensor, MemorySegment segment, RowRange inSegment) {
        requireOpen();
        AccessChecks.requireRows(this, "reach", tensor, inTensor, segment, inSegment);
    }

    /**
     * Writes rows of {@code source} as rows of {@code tensor}: as {@link #set}, with gaps between the rows on either
     * side.
     *
     * @throws AccessException if the two differ in number or length of rows, or one reaches out of its bytes
     */
    public final void setRows(BoundTensor tensor, RowRange target, MemorySegment source, RowRange from) {
        BufferTransfers.setRows(this, tensor, target, source, from);
    }

    /**
     * Reads rows of {@code tensor} into rows of {@code target}: as {@link #get}, with gaps between the rows on either
     * side.
     *
     * @throws AccessException if the two differ in number or length of rows, one reaches out of its bytes, or the
     *     target is read-only
     */
    public final void getRows(BoundTensor tensor, RowRange source, MemorySegment target, RowRange to) {
        BufferTransfers.getRows(this, tensor, source, target, to);
    }

    /**
     * Closes this buffer: from now on it refuses everything. Does not wait: memory that is still read, written or
     * computed on is freed when the last of those is done. Closing again has no effect.
     */
    @Override
    public final void close() {
        if (leases.close()) {
            free();
        }
    }

    /** Name, size, usage and whether closed, for messages: {@code host (4096 bytes, WEIGHTS)}. */
    @Override
    public String toString() {
        return name() + " (" + size + " bytes, " + usage + (isClosed() ? ", closed)" : ")");
    }

    /** The address of the first byte, or 0 where there is none; see {@link #address()}. */
    protected long baseAddress() {
        return 0;
    }

    /** All bytes as a segment, always the same one, or null where the host cannot reach them. */
    protected @Nullable MemorySegment hostSegment() {
        return null;
    }

    /**
     * Called when a lease has been taken, or the {@linkplain #segment() bytes in place} are about to be given out;
     * throws if the bytes cannot be used now.
     */
    protected void onAcquire() {}

    /**
     * Writes all of {@code source} at {@code offset} of this buffer, and is done with it on return. The range is within
     * the tensor and not empty; the source may be on the Java heap, and may be confined to the calling thread.
     */
    protected abstract void doSet(BoundTensor tensor, long offset, MemorySegment source);

    /**
     * Fills all of {@code target} from {@code offset} of this buffer on, and is done with it on return. The range is
     * within the tensor and not empty; the target may be on the Java heap, and may be confined to the calling thread.
     */
    protected abstract void doGet(BoundTensor tensor, long offset, MemorySegment target);

    /** Writes rows; as {@link #doSet} for each of them, for memory that can do it in one go. */
    protected void doSetRows(BoundTensor tensor, RowRange target, MemorySegment source, RowRange from) {
        for (long row = 0; row < target.rows(); row++) {
            doSet(tensor, target.start(row), source.asSlice(from.start(row), from.rowBytes()));
        }
    }

    /** Reads rows; as {@link #doGet} for each of them, for memory that can do it in one go. */
    protected void doGetRows(BoundTensor tensor, RowRange source, MemorySegment target, RowRange to) {
        for (long row = 0; row < source.rows(); row++) {
            doGet(tensor, source.start(row), target.asSlice(to.start(row), to.rowBytes()));
        }
    }

    /** Sets {@code length} bytes from {@code offset} on to {@code value}; the range is within this buffer. */
    protected abstract void doMemset(long offset, long length, byte value);

    /** Sets a range within a tensor; for memory that keeps the bytes of a tensor in an order of its own. */
    protected void doMemset(BoundTensor tensor, long offset, long length, byte value) {
        doMemset(offset, length, value);
    }

    /**
     * Copies a tensor of another buffer, or of this one, to one that is stored here without the host in between, if
     * that is possible. The two have the same layout and are not empty. Outside of host memory they do not overlap,
     * unless they are the very same bytes.
     *
     * @return false if it is not possible; nothing has been written then
     */
    protected boolean doTryCopy(BoundTensor from, BoundTensor to) {
        return false;
    }

    /**
     * Called before a tensor is stored here, or a view of one that is; may be called again for the same tensor. If it
     * throws, the tensor is not stored here.
     */
    protected void doInitialize(BoundTensor tensor) {}

    /** As {@link #doInitialize(BoundTensor)} for many tensors; for memory with bulk calls. */
    protected void doInitialize(List<BoundTensor> tensors) {
        for (BoundTensor tensor : tensors) {
            doInitialize(tensor);
        }
    }

    /** Called before the usage changes. */
    protected void onUsage(BufferUsage newUsage) {}

    /** Called by {@link #reset()}. */
    protected void onReset() {}

    /**
     * Frees the memory; called once, when the buffer is closed and no lease is left, even if it throws. A {@link
     * DeviceLostException} is not passed on.
     */
    protected abstract void doClose();

    /** Throws if this buffer is closed. */
    final void requireOpen() {
        if (isClosed()) {
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
    final boolean is(Buffer other) {
        return this == other;
    }
}
