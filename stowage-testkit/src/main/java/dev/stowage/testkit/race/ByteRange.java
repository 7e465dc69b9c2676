package dev.stowage.testkit.race;

import java.lang.foreign.MemorySegment;

/**
 * Bytes that are accessed, identified by their real address, so that two buffers over the same memory are seen to
 * be the same.
 *
 * @param space what the bytes are in: native memory, or an array on the Java heap
 * @param start the first byte, counted from the beginning of the space
 * @param length how many there are
 */
public record ByteRange(Object space, long start, long length) {

    private static final Object NATIVE = new Object() {
        @Override
        public String toString() {
            return "native memory";
        }
    };

    /** The bytes of a segment. */
    public static ByteRange of(MemorySegment segment) {
        // What is on the heap and read-only does not say in which array, and is never written.
        Object space = segment.isNative() ? NATIVE : segment.heapBase().orElseGet(Object::new);
        return new ByteRange(space, segment.address(), segment.byteSize());
    }

    /** One past the last byte. */
    public long end() {
        return start + length;
    }
}
