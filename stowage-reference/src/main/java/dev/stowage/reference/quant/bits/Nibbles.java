package dev.stowage.reference.quant.bits;

import java.lang.foreign.MemorySegment;

/**
 * Numbers of four bits, two to a byte, in runs: of a run of 2·half numbers, byte {@code j} holds number {@code j} in
 * its low four bits and number {@code half + j} in its high four.
 *
 * <pre>
 *   byte      0           1                half-1         half
 *        ┌──────────┬────────────┬─────┬──────────────┬─────────────
 *   high │   half   │   half+1   │  …  │   2·half-1   │
 *   low  │     0    │      1     │  …  │    half-1    │   2·half     …
 *        └──────────┴────────────┴─────┴──────────────┴─────────────
 * </pre>
 */
public final class Nibbles {

    private Nibbles() {}

    public static int get(MemorySegment blocks, long at, int half, int i) {
        return (BlockBytes.u8(blocks, byteOf(at, half, i)) >>> shiftOf(half, i)) & 0xF;
    }

    /** Sets the number, whose bits must be zero so far. */
    public static void put(MemorySegment blocks, long at, int half, int i, int value) {
        BlockBytes.or8(blocks, byteOf(at, half, i), (value & 0xF) << shiftOf(half, i));
    }

    private static long byteOf(long at, int half, int i) {
        return at + i / (2L * half) * half + i % half;
    }

    private static int shiftOf(int half, int i) {
        return i / half % 2 * 4;
    }
}
