package dev.stowage.cpu.kernel;

/** Brings rows of queries into lanes, and means of values out of them. */
public final class AttentionPanelKernels {

    private AttentionPanelKernels() {}

    /** Writes {@code count} floats, times a scale, to places at a stride. */
    public static void pack(long from, int count, float scale, long to, long stride) {
        for (int i = 0; i < count; i++) {
            Memory.setFloat(to + i * stride, Memory.getFloat(from + i * 4L) * scale);
        }
    }

    /** Writes {@code count} floats at a stride, times a scale, one behind the other. */
    public static void unpack(long from, long stride, int count, float scale, long to) {
        for (int i = 0; i < count; i++) {
            Memory.setFloat(to + i * 4L, Memory.getFloat(from + i * stride) * scale);
        }
    }
}
