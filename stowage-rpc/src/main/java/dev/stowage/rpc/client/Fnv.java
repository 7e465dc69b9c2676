package dev.stowage.rpc.client;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The hash by which servers find the bytes that they have kept: FNV-1a with 64 bits. Every byte depends on those before it,
 * so that one thread hashes one sequence of bytes.
 */
final class Fnv {

    private static final long BASIS = 0xcbf2_9ce4_8422_2325L;
    private static final long PRIME = 0x100_0000_01b3L;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Fnv() {}

    static long hash(MemorySegment bytes) {
        long hash = BASIS;
        long whole = bytes.byteSize() & -Long.BYTES;
        for (long at = 0; at < whole; at += Long.BYTES) {
            long word = bytes.get(WORD, at);
            hash = (hash ^ (word & 0xff)) * PRIME;
            hash = (hash ^ (word >>> 8 & 0xff)) * PRIME;
            hash = (hash ^ (word >>> 16 & 0xff)) * PRIME;
            hash = (hash ^ (word >>> 24 & 0xff)) * PRIME;
            hash = (hash ^ (word >>> 32 & 0xff)) * PRIME;
            hash = (hash ^ (word >>> 40 & 0xff)) * PRIME;
            hash = (hash ^ (word >>> 48 & 0xff)) * PRIME;
            hash = (hash ^ (word >>> 56)) * PRIME;
        }
        for (long at = whole; at < bytes.byteSize(); at++) {
            hash = (hash ^ (bytes.get(ValueLayout.JAVA_BYTE, at) & 0xff)) * PRIME;
        }
        return hash;
    }
}
