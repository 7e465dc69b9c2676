package dev.stowage.memory;

import dev.stowage.error.AllocationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Memory of the machine itself, outside the Java heap, which any thread reads and writes in place.
 *
 * <p>The bytes belong to {@link Arena}s of the JDK. Those are set to zero when they are taken, which for large buffers
 * costs time and touches every page; do not rely on it, as other kinds of memory do not do it. Neither the size of the
 * Java heap nor that of direct memory limits them, only what the machine has. Linux is asked to keep buffers of 16 MiB and more
 * in large pages, where the process has native access ({@code --enable-native-access=dev.stowage.core}): what is read from
 * end to end, as weights are, is read up to twice as fast.
 *
 * @param name the name for messages
 * @param alignment the power of two that every address is a multiple of
 * @param maxBufferSize the most bytes one buffer can have
 */
public record HostBufferType(String name, long alignment, long maxBufferSize) implements BufferType {

    /** The alignment unless another is asked for: a cache line, and the widest vector registers there are. */
    public static final long STANDARD_ALIGNMENT = 64;

    private static final HostBufferType STANDARD = new HostBufferType("host", STANDARD_ALIGNMENT, Long.MAX_VALUE);

    /**
     * @throws AllocationException if the alignment is not a power of two or the largest size is negative
     */
    public HostBufferType {
        Objects.requireNonNull(name);
        Alignment.requirePowerOfTwo(alignment, name);
        if (maxBufferSize < 0) {
            throw new AllocationException(
                    "the buffer type " + name + " cannot have buffers of at most " + maxBufferSize + " bytes",
                    name,
                    0,
                    maxBufferSize);
        }
    }

    /** Host memory as most callers want it: aligned to {@value #STANDARD_ALIGNMENT} bytes, buffers of any size. */
    public static HostBufferType standard() {
        return STANDARD;
    }

    /** The same with another name. */
    public HostBufferType withName(String newName) {
        return new HostBufferType(newName, alignment, maxBufferSize);
    }

    /** The same with another alignment. */
    public HostBufferType withAlignment(long newAlignment) {
        return new HostBufferType(name, newAlignment, maxBufferSize);
    }

    /** The same with another largest size of a buffer. */
    public HostBufferType withMaxBufferSize(long newMaxBufferSize) {
        return new HostBufferType(name, alignment, newMaxBufferSize);
    }

    @Override
    public boolean isHost() {
        return true;
    }

    @Override
    public Buffer allocate(long size) {
        long most = Math.min(maxBufferSize, Long.MAX_VALUE - alignment);
        if (size < 0 || size > most) {
            throw new AllocationException(
                    "cannot allocate " + size + " bytes of " + name + ": a buffer has 0 to " + most + " bytes",
                    name,
                    size,
                    most);
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment segment =
                    LargePages.allocate(size, alignment, arena).orElseGet(() -> arena.allocate(size, alignment));
            return new HostBuffer(this, segment, arena);
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new AllocationException(
                    "cannot allocate " + size + " bytes of " + name + ": the machine has too little left ("
                            + e.getMessage() + "); close what is not needed, or plan for less",
                    name,
                    size,
                    -1,
                    e);
        }
    }
}
