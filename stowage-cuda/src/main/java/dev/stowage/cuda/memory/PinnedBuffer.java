package dev.stowage.cuda.memory;

import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * Host memory that is pinned, so that GPUs transfer from and to it directly. The processor reads and writes it in place.
 * All that are open are known by address, so that a transfer recognises their segments.
 */
@SuppressWarnings("restricted") // the memory is the driver's: its segment gets a scope here
public final class PinnedBuffer extends Buffer {

    private static final ConcurrentSkipListMap<Long, PinnedBuffer> OPEN = new ConcurrentSkipListMap<>();

    private final PinnedType type;
    private final Arena arena;
    private final MemorySegment memory;
    private final MemorySegment segment;

    /** Takes over the memory; where there is none, {@code memory} has no bytes. */
    PinnedBuffer(PinnedType type, MemorySegment memory, long size) {
        super(type, size);
        this.type = type;
        this.memory = memory;
        this.arena = Arena.ofShared();
        this.segment = size == 0 ? arena.allocate(0) : memory.reinterpret(size, arena, null);
        if (size > 0) {
            OPEN.put(memory.address(), this);
        }
    }

    /** Whether a segment is a part of pinned memory. */
    public static boolean isPinned(MemorySegment bytes) {
        return owner(bytes) != null;
    }

    /** The pinned buffer that a segment is a part of, or null. */
    public static @Nullable PinnedBuffer owner(MemorySegment bytes) {
        if (!bytes.isNative() || OPEN.isEmpty()) {
            return null;
        }
        Map.Entry<Long, PinnedBuffer> before = OPEN.floorEntry(bytes.address());
        return before != null && before.getValue().contains(bytes) ? before.getValue() : null;
    }

    /** Whether a segment is a part of this memory. */
    public boolean contains(MemorySegment bytes) {
        long offset = bytes.address() - memory.address();
        return bytes.isNative() && offset >= 0 && offset + bytes.byteSize() <= size();
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
    protected void doClose() {
        OPEN.remove(memory.address(), this);
        type.free(this);
    }

    /**
     * Ends the segment, so that nobody reaches the bytes any more, and gives the memory back.
     *
     * @return false if the segment is in use, such as by a channel that reads into it
     */
    boolean tryFree() {
        try {
            arena.close();
        } catch (IllegalStateException _) {
            return false;
        }
        if (size() > 0) {
            type.context().freePinned(memory);
        }
        return true;
    }
}
