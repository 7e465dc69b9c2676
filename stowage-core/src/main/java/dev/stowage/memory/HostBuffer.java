package dev.stowage.memory;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import dev.stowage.error.ClosedException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A buffer whose bytes the host reaches as a {@link MemorySegment}: memory of its own, made by {@link HostBufferType},
 * or memory that somebody else owns, made by {@link #over(MemorySegment)}.
 *
 * <p>May be used from any thread, except over a segment that is confined to one. Accesses to the same bytes are for the
 * caller to order.
 */
public sealed class HostBuffer extends Buffer permits MappedBuffer {

    /** The alignment of tensors in memory that was not allocated for them: that of most model files. */
    public static final long FOREIGN_ALIGNMENT = 32;

    private final MemorySegment segment;
    private final @Nullable Arena owned;

    HostBuffer(BufferType type, MemorySegment segment, @Nullable Arena owned) {
        super(type, segment.byteSize());
        this.segment = segment;
        this.owned = owned;
    }

    /**
     * A buffer over memory that somebody else owns, with tensors aligned to {@value #FOREIGN_ALIGNMENT} bytes. Closing
     * it leaves that memory as it is; once its owner frees it, the buffer throws {@link ClosedException}. A read-only
     * segment makes a read-only buffer.
     *
     * @throws AccessException if the segment is a Java array, which cannot be aligned to that
     */
    public static HostBuffer over(MemorySegment segment) {
        return over(segment, FOREIGN_ALIGNMENT);
    }

    /**
     * As {@link #over(MemorySegment)}, with another alignment of the tensors in it.
     *
     * @throws AllocationException if the alignment is no power of two
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

    /** The type of buffers over memory that was there before; asked for more, it gives host memory of its own. */
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
        requireUsable(segment);
    }

    @Override
    protected void write(BoundTensor tensor, long offset, MemorySegment source) {
        MemorySegment.copy(source, 0, segment, offset, source.byteSize());
    }

    @Override
    protected void read(BoundTensor tensor, long offset, MemorySegment target) {
        MemorySegment.copy(segment, offset, target, 0, target.byteSize());
    }

    @Override
    protected void fill(long offset, long length, byte value) {
        segment.asSlice(offset, length).fill(value);
    }

    @Override
    protected void release() {
        if (owned != null) {
            owned.close();
        }
    }
}
