package dev.stowage.testkit.race;

import java.lang.foreign.MemorySegment;

/**
 * Bytes that are read or written, with a human-readable name.
 *
 * @param bytes their real address
 * @param isWrite whether they are written
 * @param name the tensor, or what else they hold
 * @param memory the memory they are stored in
 * @param offset where they begin in that memory
 */
public record MemoryAccess(ByteRange bytes, boolean isWrite, String name, String memory, long offset) {

    public static MemoryAccess read(MemorySegment bytes, String name, String memory, long offset) {
        return new MemoryAccess(ByteRange.of(bytes), false, name, memory, offset);
    }

    public static MemoryAccess write(MemorySegment bytes, String name, String memory, long offset) {
        return new MemoryAccess(ByteRange.of(bytes), true, name, memory, offset);
    }

    /** As {@code writes 'x' (bytes 128 to 191 of gpu0)}. */
    @Override
    public String toString() {
        return (isWrite ? "writes '" : "reads '") + name + "' (bytes " + offset + " to " + (offset + bytes.length() - 1)
                + " of " + memory + ")";
    }
}
