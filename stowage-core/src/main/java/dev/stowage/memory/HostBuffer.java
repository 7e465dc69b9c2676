package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * A buffer whose bytes the host reaches as a {@link MemorySegment}: memory of its own, made by {@link HostBufferType},
 * or foreign memory, made by {@link #over(MemorySegment)}.
 *
 * <p>May be used from any thread, except over a segment that is confined to one. Accesses to the same bytes must be
 * ordered by the caller.
 */
public sealed class HostBuffer extends Buffer permits MappedBuffer {

    /** The alignment of tensors in memory that was not allocated for them: that of most model files. */
    public static final long FOREIGN_ALIGNMENT = 32;

    /** The buffers that own memory, by its scope, to find the owner of a segment. */
    private static final Map<MemorySegment.Scope, HostBuffer> OWNERS = new ConcurrentHashMap<>();

    /** Arenas of closed buffers that are still in use, such as by a channel that reads into one. */
    private static final Queue<Arena> BUSY = new ConcurrentLinkedQueue<>();

    private final MemorySegment segment;
    private final @Nullable Arena owned;
    /** The buffer that owns this memory, if it is another one. */
    private final @Nullable HostBuffer owner;

    private Cleaner.@Nullable Cleanable pin;

    HostBuffer(BufferType type, MemorySegment segment, @Nullable Arena owned) {
        super(type, segment.byteSize());
        this.segment = segment;
        this.owned = owned;
        this.owner = owned == null ? OWNERS.get(segment.scope()) : null;
        if (owned != null) {
            OWNERS.put(owned.scope(), this);
        }
    }

    /**
     * A buffer over foreign memory, with tensors aligned to {@value #FOREIGN_ALIGNMENT} bytes. Closing
     * it leaves that memory as it is; once its owner frees it, the buffer throws {@link ClosedException}. A read-only
     * segment makes a read-only buffer.
     *
     * <p>Once a backend has run a graph or made a transfer in this buffer, <b>the arena of the segment cannot be closed
     * before the buffer</b>: {@code Arena.close()} throws an {@link IllegalStateException} until then, as kernels reach
     * the memory by address. That takes a thread per arena, which does nothing but wait. Memory that is confined to a
     * thread is computed on by that thread alone, through checked accesses, which is slow. Over the bytes of another
     * buffer, work here holds a lease on that one.
     *
     * @throws AccessException if the segment is a Java array, which cannot be aligned to that
     */
    public static HostBuffer over(MemorySegment segment) {
        return over(segment, FOREIGN_ALIGNMENT);
    }

    /**
     * As {@link #over(MemorySegment)}, with another alignment of the tensors in it.
     *
     * @throws AllocationException if the alignment is not a power of two
     * @throws AccessException if the segment is a Java array, which cannot be aligned to that
     */
    public static HostBuffer over(MemorySegment segment, long alignment) {
        HostBufferType type = foreignType(alignment);
        if (!segment.isNative() && segment.maxByteAlignment() < alignment) {
            throw new AccessException("a Java array of " + segment.byteSize() + " bytes can be aligned to "
                    + segment.maxByteAlignment() + " bytes at most, not to " + alignment
                    + ": ask for less, or take native memory");
        }
        return new HostBuffer(type, segment, null);
    }

    /** The type of buffers over foreign memory; its {@code allocate} returns host memory. */
    static HostBufferType foreignType(long alignment) {
        return HostBufferType.standard().withAlignment(alignment);
    }

    @Override
    public boolean isReadOnly() {
        return segment.isReadOnly();
    }

    @Override
    protected long baseAddress() {
        return segment.address();
    }

    @Override
    protected MemorySegment hostSegment() {
        return segment;
    }

    @Override
    protected void onAcquire() {
        AccessChecks.requireUsable(segment);
    }

    @Override
    protected void doSet(BoundTensor tensor, long offset, MemorySegment source) {
        MemorySegment.copy(source, 0, segment, offset, source.byteSize());
    }

    @Override
    protected void doGet(BoundTensor tensor, long offset, MemorySegment target) {
        MemorySegment.copy(segment, offset, target, 0, target.byteSize());
    }

    @Override
    protected void doMemset(long offset, long length, byte value) {
        segment.asSlice(offset, length).fill(value);
    }

    @Override
    void onWork() {
        if (owner != null) {
            owner.acquireWhileLeased();
        } else if (owned == null && size() > 0 && AccessChecks.isReachedByAddress(segment) && !isForever()) {
            pin();
        }
    }

    @Override
    void onWorkEnd() {
        if (owner != null) {
            owner.releaseLease();
        }
    }

    private boolean isForever() {
        return segment.scope().equals(Arena.global().scope());
    }

    private synchronized void pin() {
        if (pin == null) {
            pin = ArenaPin.pin(segment, this);
        }
    }

    private synchronized void unpin() {
        if (pin != null) {
            pin.clean();
        }
    }

    @Override
    protected void doClose() {
        unpin();
        if (owned != null) {
            OWNERS.remove(owned.scope());
            closeIfIdle(owned);
        }
        for (int waiting = BUSY.size(); waiting > 0; waiting--) {
            Arena next = BUSY.poll();
            if (next != null) {
                closeIfIdle(next);
            }
        }
    }

    /** Closes the arena of a closed buffer, unless its bytes are in use: then it is closed with a later buffer. */
    private static void closeIfIdle(Arena arena) {
        try {
            arena.close();
        } catch (IllegalStateException _) {
            BUSY.add(arena);
        }
    }
}
