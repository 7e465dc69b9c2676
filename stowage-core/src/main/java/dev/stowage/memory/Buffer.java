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
import java.util.concurrent.atomic.AtomicInteger;
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

    /** The state of a buffer: how many leases there are, and whether it is closed. */
    private static final int CLOSED = 1 << 31;

    /** A thread that owns no arena: memory that it may access, any thread may. */
    private static final Thread ANY_THREAD = Thread.ofPlatform().unstarted(() -> {});

    /** How many buffers of this process have been closed. */
    private static final AtomicInteger CLOSINGS = new AtomicInteger();

    private final BufferType type;
    private final long size;
    private final AtomicInteger state = new AtomicInteger();
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
        TensorCopy.copy(from, to);
    }

    /** How many buffers of this process have been closed; while it is the same, open buffers are still open. */
    static int closings() {
        return CLOSINGS.get();
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
        return state.get() < 0;
    }

    /**
     * Takes a lease: the memory stays until {@link #releaseLease()}, even if the buffer is closed meanwhile. Other
     * classes use {@link BufferLeases}, which cannot release a lease that they did not take.
     *
     * @throws ClosedException if the buffer is closed; no lease is taken then
     */
    final void acquire() {
        if (!tryAcquire()) {
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

    private boolean tryAcquire() {
        int now = state.get();
        while (now >= 0) {
            if (state.compareAndSet(now, now + 1)) {
                return true;
            }
            now = state.get();
        }
        return false;
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
        int now = state.get();
        while (now != CLOSED) {
            if (state.compareAndSet(now, now + 1)) {
                return;
            }
            now = state.get();
        }
        requireOpen();
    }

    /** Ends a lease. The last one on a closed buffer frees the memory. */
    final void releaseLease() {
        if (state.decrementAndGet() == CLOSED) {
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
        return segment != null && isReachedByAddress(segment);
    }

    static boolean isReachedByAddress(MemorySegment segment) {
        return segment.isNative() && segment.isAccessibleBy(ANY_THREAD);
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
        if (state.get() == CLOSED) {
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
        acquire();
        try {
            requireWritable();
            if (size > 0) {
                doMemset(0, size, value);
            }
        } catch (IllegalStateException e) {
            throw freed(e);
        } finally {
            releaseLease();
        }
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
        requirePlaceable(tensor, offset);
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
        requirePlaceable(tensor, offset);
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
            requireHere(tensor);
            if (!tensor.tensor().isView()) {
                requirePlaceable(tensor.tensor(), tensor.offset());
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
        requireHere(view);
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
        acquire();
        try {
            requireWritable();
            requireRange("write", tensor, offset, source.byteSize());
            requireUsable(source);
            if (source.byteSize() > 0) {
                doSet(tensor, tensor.offset() + offset, source);
            }
        } catch (IllegalStateException e) {
            throw freed(e);
        } finally {
            releaseLease();
        }
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
        acquire();
        try {
            requireRange("read", tensor, offset, target.byteSize());
            requireTarget(tensor, target);
            if (target.byteSize() > 0) {
                doGet(tensor, tensor.offset() + offset, target);
            }
        } catch (IllegalStateException e) {
            throw freed(e);
        } finally {
            releaseLease();
        }
    }

    private static void requireTarget(BoundTensor tensor, MemorySegment target) {
        requireUsable(target);
        if (target.isReadOnly()) {
            throw new AccessException("cannot read " + tensor.describe() + " into a read-only segment of "
                    + target.byteSize() + " bytes");
        }
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
        acquire();
        try {
            requireWritable();
            requireRange("fill", tensor, offset, length);
            if (length > 0) {
                doMemset(tensor, tensor.offset() + offset, length, value);
            }
        } catch (IllegalStateException e) {
            throw freed(e);
        } finally {
            releaseLease();
        }
    }

    /**
     * Checks that {@code length} bytes from {@code offset} on can be reached in {@code tensor}, and does nothing else:
     * for transfers that are submitted now and made later.
     *
     * @throws AccessException if the tensor is not stored here, or the range is not within it
     */
    public final void requireReachable(BoundTensor tensor, long offset, long length) {
        requireOpen();
        requireRange("reach", tensor, offset, length);
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
        requireRows("reach", tensor, inTensor, segment, inSegment);
    }

    /**
     * Writes rows of {@code source} as rows of {@code tensor}: as {@link #set}, with gaps between the rows on either
     * side.
     *
     * @throws AccessException if the two differ in number or length of rows, or one reaches out of its bytes
     */
    public final void setRows(BoundTensor tensor, RowRange target, MemorySegment source, RowRange from) {
        acquire();
        try {
            requireWritable();
            requireRows("write", tensor, target, source, from);
            if (!target.isEmpty()) {
                doSetRows(tensor, target.movedBy(tensor.offset()), source, from);
            }
        } catch (IllegalStateException e) {
            throw freed(e);
        } finally {
            releaseLease();
        }
    }

    /**
     * Reads rows of {@code tensor} into rows of {@code target}: as {@link #get}, with gaps between the rows on either
     * side.
     *
     * @throws AccessException if the two differ in number or length of rows, one reaches out of its bytes, or the
     *     target is read-only
     */
    public final void getRows(BoundTensor tensor, RowRange source, MemorySegment target, RowRange to) {
        acquire();
        try {
            requireRows("read", tensor, source, target, to);
            requireTarget(tensor, target);
            if (!source.isEmpty()) {
                doGetRows(tensor, source.movedBy(tensor.offset()), target, to);
            }
        } catch (IllegalStateException e) {
            throw freed(e);
        } finally {
            releaseLease();
        }
    }

    private void requireRows(
            String verb, BoundTensor tensor, RowRange inTensor, MemorySegment segment, RowRange inSegment) {
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

    /**
     * Closes this buffer: from now on it refuses everything. Does not wait: memory that is still read, written or
     * computed on is freed when the last of those is done. Closing again has no effect.
     */
    @Override
    public final void close() {
        int now = state.get();
        while (now >= 0) {
            if (state.compareAndSet(now, now | CLOSED)) {
                CLOSINGS.incrementAndGet();
                if (now == 0) {
                    free();
                }
                return;
            }
            now = state.get();
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

    /** Throws if {@code tensor} is stored elsewhere. */
    final void requireHere(BoundTensor tensor) {
        if (!tensor.isIn(this)) {
            throw new AccessException(tensor.describe() + " is stored in another buffer, of "
                    + tensor.buffer().name() + ", and not in this one, " + this + ": ask Buffer.of(tensor)");
        }
    }

    private void requireRange(String verb, BoundTensor tensor, long offset, long length) {
        requireHere(tensor);
        if (offset < 0 || length < 0 || length > tensor.byteSize() - offset) {
            throw new AccessException("cannot " + verb + " " + length + " bytes at byte " + offset + " of "
                    + tensor.describe() + ", which has " + tensor.byteSize() + " bytes");
        }
    }

    private void requirePlaceable(Tensor tensor, long offset) {
        requireOpen();
        if (tensor.isView()) {
            throw new InvalidTensorException(tensor.describe() + " is a view and is stored where its source is: place "
                    + tensor.viewSource().describe() + " instead");
        }
        long address = baseAddress() + offset;
        long needed = type.allocationSize(tensor);
        if (offset < 0 || offset > size - needed) {
            throw new AccessException(tensor.describe() + " takes " + needed + " bytes and does not fit at offset "
                    + offset + " of the buffer " + this);
        }
        if (!Alignment.isMultiple(address, type.alignment())) {
            throw new AccessException(tensor.describe() + " cannot be stored at offset " + offset + " of the buffer "
                    + this + ": address " + address + " is not a multiple of " + type.alignment());
        }
    }

    /** The failure of a transfer whose foreign memory was freed by its owner while it was under way. */
    static ClosedException freed(IllegalStateException cause) {
        ClosedException failure = new ClosedException("the memory of a transfer was freed while it was under way ("
                + cause.getMessage() + "): close arenas when nothing uses their segments any more");
        failure.initCause(cause);
        return failure;
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
