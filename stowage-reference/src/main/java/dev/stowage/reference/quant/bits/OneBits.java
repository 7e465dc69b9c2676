package dev.stowage.reference.quant.bits;

import java.lang.foreign.MemorySegment;

/**
 * One bit for each of 256 numbers, over 32 bytes: byte {@code j} holds, from its lowest bit up, those of the numbers
 * {@code j}, {@code 32 + j}, {@code 64 + j} and so on.
 *
 * <pre>
 *   byte        0        1              31
 *          ┌────────┬────────┬─────┬────────┐
 *   bit 7  │  224   │  225   │     │  255   │
 *     …    │   …    │   …    │  …  │   …    │
 *   bit 0  │    0   │    1   │     │   31   │
 *          └────────┴────────┴─────┴────────┘
 * </pre>
 */
public final class OneBits {

    private OneBits() {}

    public static int get(MemorySegment blocks, long at, int i) {
        return (BlockBytes.u8(blocks, at + i % 32) >>> (i / 32)) & 1;
    }

    /** Sets the bit, which must be zero so far, to the lowest bit of {@code value}. */
    public static void put(MemorySegment blocks, long at, int i, int value) {
        BlockBytes.or8(blocks, at + i % 32, (value & 1) << (i / 32));
    }
}
