package dev.stowage.cpu.kernel.codec;

import dev.stowage.cpu.kernel.Memory;

/**
 * The eight scales and eight minima of six bits each that q4_K and q5_K keep in twelve bytes, each eight as the bytes of
 * a long, the first lowest. The first four of each have a byte of their own, whose two spare bits hold the top of the
 * other four.
 */
final class PackedScales {

    private PackedScales() {}

    static long scales(long at) {
        int first = Memory.getInt(at);
        int last = (Memory.getInt(at + 8) & 0x0F0F_0F0F) | ((first >>> 2) & 0x3030_3030);
        return (first & 0x3F3F_3F3FL) | ((long) last << 32);
    }

    static long mins(long at) {
        int first = Memory.getInt(at + 4);
        int last = ((Memory.getInt(at + 8) >>> 4) & 0x0F0F_0F0F) | ((first >>> 2) & 0x3030_3030);
        return (first & 0x3F3F_3F3FL) | ((long) last << 32);
    }
}
