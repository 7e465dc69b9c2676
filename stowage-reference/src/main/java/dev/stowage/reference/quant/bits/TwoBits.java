package dev.stowage.reference.quant.bits;

import java.lang.foreign.MemorySegment;

/**
 * Numbers of two bits in runs of 128 over 32 bytes: byte {@code j} holds, from its lowest bits up, the numbers
 * {@code j}, {@code 32 + j}, {@code 64 + j} and {@code 96 + j}.
 *
 * <pre>
 *   byte        0        1              31       32
 *          ┌────────┬────────┬─────┬────────┬─────────
 *   bit 6  │   96   │   97   │     │  127   │   224
 *   bit 4  │   64   │   65   │  …  │   95   │   192  …
 *   bit 2  │   32   │   33   │     │   63   │   160
 *   bit 0  │    0   │    1   │     │   31   │   128
 *          └────────┴────────┴─────┴────────┴─────────
 * </pre>
 */
public final class TwoBits {

    private TwoBits() {}

    public static int get(MemorySegment blocks, long at, int i) {
        return (BlockBytes.u8(blocks, byteOf(at, i)) >>> shiftOf(i)) & 3;
    }

    /** Sets the number, whose bits must be zero so far. */
    public static void put(MemorySegment blocks, long at, int i, int value) {
        BlockBytes.or8(blocks, byteOf(at, i), (value & 3) << shiftOf(i));
    }

    private static long byteOf(long at, int i) {
        return at + i / 128 * 32L + i % 32;
    }

    private static int shiftOf(int i) {
        return i % 128 / 32 * 2;
    }
}
