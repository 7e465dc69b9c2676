package dev.stowage.cpu.kernel.copy;

import dev.stowage.cpu.kernel.Memory;

/** Gathers elements at a stride as floats, and scatters floats to elements at a stride. */
public final class StridedKernels {

    private StridedKernels() {}

    public static void gatherFloats(long from, long stride, long to, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setInt(to + i * Float.BYTES, Memory.getInt(from + i * stride));
        }
    }

    public static void gatherHalves(long from, long stride, long to, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setFloat(to + i * Float.BYTES, Memory.getHalf(from + i * stride));
        }
    }

    public static void gatherBrainFloats(long from, long stride, long to, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setInt(to + i * Float.BYTES, Memory.getShort(from + i * stride) << Short.SIZE);
        }
    }

    public static void scatterInts(long from, long to, long stride, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setInt(to + i * stride, Memory.getInt(from + i * Integer.BYTES));
        }
    }

    public static void scatterShorts(long from, long to, long stride, long count) {
        for (long i = 0; i < count; i++) {
            Memory.setShort(to + i * stride, Memory.getShort(from + i * Short.BYTES));
        }
    }
}
