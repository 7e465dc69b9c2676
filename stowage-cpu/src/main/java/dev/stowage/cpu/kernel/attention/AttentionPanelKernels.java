package dev.stowage.cpu.kernel.attention;

import static dev.stowage.cpu.kernel.Memory.ADDRESS;

import dev.stowage.cpu.kernel.Memory;

/**
 * Transposes rows of queries into lanes, and means of values out of lanes. A strip of elements is moved for all rows
 * before the next, so that every cache line is used as a whole while it is cached.
 */
public final class AttentionPanelKernels {

    /** The elements of a strip: a line of the cache. */
    private static final int STRIP = 16;

    private AttentionPanelKernels() {}

    /** Sets floats to one number. */
    public static void fill(long to, int count, float value) {
        for (int i = 0; i < count; i++) {
            Memory.setFloat(to + i * 4L, value);
        }
    }

    /**
     * Writes rows of {@code count} floats, times a scale, into neighbouring lanes.
     *
     * @param fromStride bytes from row to row
     * @param to the lane of the first row
     * @param stride bytes from element to element of a lane
     */
    public static void pack(long from, long fromStride, int rows, int count, float scale, long to, long stride) {
        for (int strip = 0; strip < count; strip += STRIP) {
            int length = Math.min(STRIP, count - strip);
            for (int row = 0; row < rows; row++) {
                pack(from + row * fromStride + strip * 4L, length, scale, to + strip * stride + row * 4L, stride);
            }
        }
    }

    /** Writes {@code count} floats, times a scale, to places at a stride. */
    public static void pack(long from, int count, float scale, long to, long stride) {
        long at = from & ADDRESS;
        long lane = to & ADDRESS;
        long step = stride & ADDRESS;
        int left = count;
        for (; left >= 4; left -= 4) {
            long next = lane + 2 * step & ADDRESS;
            Memory.setFloat(lane, Memory.getFloat(at) * scale);
            Memory.setFloat(lane + step, Memory.getFloat(at + 4) * scale);
            Memory.setFloat(next, Memory.getFloat(at + 8) * scale);
            Memory.setFloat(next + step, Memory.getFloat(at + 12) * scale);
            at = at + 16 & ADDRESS;
            lane = next + 2 * step & ADDRESS;
        }
        for (; left > 0; left--) {
            Memory.setFloat(lane, Memory.getFloat(at) * scale);
            at = at + 4 & ADDRESS;
            lane = lane + step & ADDRESS;
        }
    }

    /**
     * Writes neighbouring lanes out as rows of {@code count} floats, each times a scale of its own.
     *
     * @param from the lane of the first row
     * @param stride bytes from element to element of a lane
     * @param scales a float for each row
     * @param toStride bytes from row to row
     */
    public static void unpack(long from, long stride, int rows, int count, long scales, long to, long toStride) {
        for (int strip = 0; strip < count; strip += STRIP) {
            int length = Math.min(STRIP, count - strip);
            for (int row = 0; row < rows; row++) {
                float scale = Memory.getFloat(scales + row * 4L);
                collect(from + strip * stride + row * 4L, stride, length, scale, to + row * toStride + strip * 4L);
            }
        }
    }

    private static void collect(long from, long stride, int count, float scale, long to) {
        long lane = from & ADDRESS;
        long at = to & ADDRESS;
        long step = stride & ADDRESS;
        int left = count;
        for (; left >= 4; left -= 4) {
            long next = lane + 2 * step & ADDRESS;
            Memory.setFloat(at, Memory.getFloat(lane) * scale);
            Memory.setFloat(at + 4, Memory.getFloat(lane + step) * scale);
            Memory.setFloat(at + 8, Memory.getFloat(next) * scale);
            Memory.setFloat(at + 12, Memory.getFloat(next + step) * scale);
            at = at + 16 & ADDRESS;
            lane = next + 2 * step & ADDRESS;
        }
        for (; left > 0; left--) {
            Memory.setFloat(at, Memory.getFloat(lane) * scale);
            at = at + 4 & ADDRESS;
            lane = lane + step & ADDRESS;
        }
    }
}
