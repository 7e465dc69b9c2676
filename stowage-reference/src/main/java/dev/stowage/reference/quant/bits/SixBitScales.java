package dev.stowage.reference.quant.bits;

import java.lang.foreign.MemorySegment;

/**
 * The eight scales and eight minima of six bits each that q4_K and q5_K keep in twelve bytes. The first four of each
 * have a byte of their own, whose two spare bits hold the top of the other four.
 *
 * <pre>
 *   byte    0 … 3           4 … 7           8 … 11
 *        ┌───────────────┬───────────────┬───────────────┐
 *  bit 7 │ scale 4…7 top │ min 4…7 top   │ min 4…7       │
 *  bit 5 │ scale 0…3     │ min 0…3       │     low four  │
 *  bit 3 │               │               │ scale 4…7     │
 *        │               │               │     low four  │
 *        └───────────────┴───────────────┴───────────────┘
 * </pre>
 */
public final class SixBitScales {

    private SixBitScales() {}

    public static int scale(MemorySegment blocks, long at, int i) {
        if (i < 4) {
            return BlockBytes.u8(blocks, at + i) & 0x3F;
        }
        return (BlockBytes.u8(blocks, at + i + 4) & 0xF) | (BlockBytes.u8(blocks, at + i - 4) >>> 6 << 4);
    }

    public static int min(MemorySegment blocks, long at, int i) {
        if (i < 4) {
            return BlockBytes.u8(blocks, at + i + 4) & 0x3F;
        }
        return (BlockBytes.u8(blocks, at + i + 4) >>> 4) | (BlockBytes.u8(blocks, at + i) >>> 6 << 4);
    }

    /** Sets a scale and a minimum, whose bits must be zero so far. */
    public static void put(MemorySegment blocks, long at, int i, int scale, int min) {
        if (i < 4) {
            BlockBytes.or8(blocks, at + i, scale);
            BlockBytes.or8(blocks, at + i + 4, min);
        } else {
            BlockBytes.or8(blocks, at + i + 4, (scale & 0xF) | ((min & 0xF) << 4));
            BlockBytes.or8(blocks, at + i - 4, scale >>> 4 << 6);
            BlockBytes.or8(blocks, at + i, min >>> 4 << 6);
        }
    }
}
