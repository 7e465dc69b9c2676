package dev.stowage.cpu.kernel.window;

import dev.stowage.cpu.kernel.Memory;

/**
 * One row of what windows on some lines of an image come to. The loops count in ints: with longs, loops this short take
 * several times as long. Windows of two are written out for the same reason.
 */
public final class PoolRowKernels {

    private PoolRowKernels() {}

    /**
     * The largest under each window.
     *
     * @param line the first of the lines under the window
     * @param lines how many of them there are; none where the window is in the padding
     */
    public static void max(
            long line,
            long stride,
            int lines,
            long width,
            long size,
            int step,
            long padding,
            long result,
            int positions) {
        for (int x = 0; x < positions; x++) {
            long left = x * (long) step - padding;
            long from = Math.max(left, 0);
            long to = Math.min(left + size, width);
            float max = -Float.MAX_VALUE;
            int count = (int) (to - from);
            for (int i = 0; i < lines; i++) {
                long at = line + i * stride + from * 4;
                if (count == 2) {
                    max = larger(larger(max, Memory.getFloat(at)), Memory.getFloat(at + 4));
                } else {
                    for (int k = 0; k < count; k++) {
                        max = larger(max, Memory.getFloat(at + k * 4L));
                    }
                }
            }
            Memory.setFloat(result + x * 4L, max);
        }
    }

    /**
     * As in ggml, a NaN stands until the next element replaces it. The rest is left to Math.max, which does not branch:
     * which of two is larger cannot be predicted.
     */
    private static float larger(float max, float value) {
        return Float.isNaN(max) || Float.isNaN(value) ? value : Math.max(max, value);
    }

    /** The mean under each window, of so many elements, or, if that is 0, of as many as are not in the padding. */
    public static void mean(
            long line,
            long stride,
            int lines,
            long width,
            long size,
            int step,
            long padding,
            long divisor,
            long result,
            int positions) {
        for (int x = 0; x < positions; x++) {
            long left = x * (long) step - padding;
            long from = Math.max(left, 0);
            long to = Math.min(left + size, width);
            float sum = 0;
            int count = (int) (to - from);
            for (int i = 0; i < lines; i++) {
                long at = line + i * stride + from * 4;
                if (count == 2) {
                    sum += Memory.getFloat(at) + Memory.getFloat(at + 4);
                } else {
                    for (int k = 0; k < count; k++) {
                        sum += Memory.getFloat(at + k * 4L);
                    }
                }
            }
            long seen = Math.max(1, (long) count * lines);
            Memory.setFloat(result + x * 4L, sum / (divisor == 0 ? seen : divisor));
        }
    }
}
