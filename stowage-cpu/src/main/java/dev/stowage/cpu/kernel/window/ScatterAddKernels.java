package dev.stowage.cpu.kernel.window;

import dev.stowage.cpu.kernel.Memory;

/** Adds floats to elements at a stride: each element of the source belongs so many elements after the one before. */
public final class ScatterAddKernels {

    private ScatterAddKernels() {}

    /**
     * Adds {@code count} elements of an image, counted from element {@code first} on, to one that is {@code stride}
     * times as large in both directions.
     *
     * @param width elements in a line of the source
     * @param toWidth elements in a line of the target
     */
    public static void add(long from, long first, long count, long width, long to, long toWidth, long stride) {
        long y = first / width;
        long x = first % width;
        long at = from;
        long left = count;
        while (left > 0) {
            long run = Math.min(left, width - x);
            long target = to + (y * stride * toWidth + x * stride) * 4;
            for (long i = 0; i < run; i++) {
                long place = target + i * stride * 4;
                Memory.setFloat(place, Memory.getFloat(place) + Memory.getFloat(at + i * 4));
            }
            at += run * 4;
            left -= run;
            x = 0;
            y++;
        }
    }

    /**
     * The sums of overlapping windows: element {@code t} is the sum of all {@code from[i, tap]} with
     * {@code i * stride + tap = t}.
     *
     * @param first the first {@code t}
     * @param rowStride bytes from window to window
     */
    public static void overlay(
            long from, long rowStride, long windows, long taps, long stride, long first, long count, long to) {
        long last = first / stride;
        long into = first % stride;
        for (long t = 0; t < count; t++) {
            long i = Math.min(last, windows - 1);
            long tap = into + (last - i) * stride;
            float sum = 0;
            while (tap < taps && i >= 0) {
                sum += Memory.getFloat(from + i * rowStride + tap * 4);
                tap += stride;
                i--;
            }
            Memory.setFloat(to + t * 4, sum);
            into++;
            if (into == stride) {
                into = 0;
                last++;
            }
        }
    }
}
