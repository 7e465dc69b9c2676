package dev.stowage.cpu.kernel.window;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Lines of an image put together from others, and points of a line from others, by lists of elements and weights. */
public final class ResamplingKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private static final long V = F.vectorByteSize();

    private ResamplingKernels() {}

    /** The sum of some lines of an image, {@code count} entries of the lists from {@code first} on. */
    public static void blendLines(
            long image, long stride, long width, int[] lines, float[] weights, int first, int count, long to) {
        long bytes = width * 4;
        long x = 0;
        for (; x + V <= bytes; x += V) {
            FloatVector sum = FloatVector.zero(F);
            for (int i = first; i < first + count; i++) {
                sum = FloatVector.fromMemorySegment(F, ALL, image + lines[i] * stride + x, ORDER)
                        .fma(FloatVector.broadcast(F, weights[i]), sum);
            }
            sum.intoMemorySegment(ALL, to + x, ORDER);
        }
        for (; x < bytes; x += 4) {
            float sum = 0;
            for (int i = first; i < first + count; i++) {
                sum += weights[i] * Memory.getFloat(image + lines[i] * stride + x);
            }
            Memory.setFloat(to + x, sum);
        }
    }

    /** Each point of a line as the sum of some elements of another. */
    public static void blend(long line, int[] elements, float[] weights, int taps, int[] counts, long to, long points) {
        for (int point = 0; point < points; point++) {
            float sum = 0;
            int first = point * taps;
            for (int i = first; i < first + counts[point]; i++) {
                sum += weights[i] * Memory.getFloat(line + elements[i] * 4L);
            }
            Memory.setFloat(to + point * 4L, sum);
        }
    }

    /** Each point of a line as one element of another. */
    public static void pick(long line, int[] elements, long to, long points) {
        for (int point = 0; point < points; point++) {
            Memory.setFloat(to + point * 4L, Memory.getFloat(line + elements[point] * 4L));
        }
    }
}
