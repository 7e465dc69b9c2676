package dev.stowage.cpu.kernel.sequence;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Residual connections of several streams: sums of streams, and the small matrices that say how to mix them. */
public final class ResidualStreamKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private static final long V = F.vectorByteSize();

    private static final int STREAMS = 4;

    /** The mixes of a token begin with two weights for each stream, which are for other ops. */
    private static final int FIRST_MIX = 2 * STREAMS;

    /** The scales of a token begin with those of these weights. */
    private static final int SCALE = 2;

    private ResidualStreamKernels() {}

    /**
     * {@code result[i] = start[i] * factor + sum over streams of weight * x[i, stream]}; without a start where it is 0.
     */
    public static void mix(
            long x,
            long xStride,
            long weights,
            long weightStride,
            long streams,
            long start,
            float factor,
            long result,
            long size) {
        long bytes = size * 4;
        long i = 0;
        for (; i + V <= bytes; i += V) {
            FloatVector sum = start == 0
                    ? FloatVector.zero(F)
                    : FloatVector.fromMemorySegment(F, ALL, start + i, ORDER).mul(factor);
            for (long stream = 0; stream < streams; stream++) {
                FloatVector weight = FloatVector.broadcast(F, Memory.getFloat(weights + stream * weightStride));
                sum = weight.fma(FloatVector.fromMemorySegment(F, ALL, x + stream * xStride + i, ORDER), sum);
            }
            sum.intoMemorySegment(ALL, result + i, ORDER);
        }
        for (; i < bytes; i += 4) {
            float sum = start == 0 ? 0 : Memory.getFloat(start + i) * factor;
            for (long stream = 0; stream < streams; stream++) {
                sum += Memory.getFloat(weights + stream * weightStride) * Memory.getFloat(x + stream * xStride + i);
            }
            Memory.setFloat(result + i, sum);
        }
    }

    /**
     * The softmax of each row of the mixes of a token, then columns and rows divided by their sums in turn, columns
     * last. The matrix is worked on where it is written.
     */
    public static void balance(
            long mixes, long scales, long base, float epsilon, int iterations, long result, long stride) {
        float scale = Memory.getFloat(scales + SCALE * 4L);
        for (int row = 0; row < STREAMS; row++) {
            long first = (FIRST_MIX + row * STREAMS) * 4L;
            softMax(mixes + first, scale, base + first, epsilon, result + row * stride);
        }
        divide(result, stride, 4, epsilon);
        for (int i = 1; i < iterations; i++) {
            divide(result, 4, stride, epsilon);
            divide(result, stride, 4, epsilon);
        }
    }

    private static void softMax(long mixes, float scale, long base, float epsilon, long result) {
        double max = Double.NEGATIVE_INFINITY;
        for (long i = 0; i < STREAMS * 4; i += 4) {
            max = Math.max(max, (double) Memory.getFloat(mixes + i) * scale + Memory.getFloat(base + i));
        }
        double sum = 0;
        for (long i = 0; i < STREAMS * 4; i += 4) {
            sum += Math.exp((double) Memory.getFloat(mixes + i) * scale + Memory.getFloat(base + i) - max);
        }
        for (long i = 0; i < STREAMS * 4; i += 4) {
            double e = Math.exp((double) Memory.getFloat(mixes + i) * scale + Memory.getFloat(base + i) - max);
            Memory.setFloat(result + i, (float) (e / sum + epsilon));
        }
    }

    /** Divides each line by its sum; {@code along} leads from element to element, {@code across} from line to line. */
    private static void divide(long matrix, long along, long across, float epsilon) {
        for (int line = 0; line < STREAMS; line++) {
            long at = matrix + line * across;
            float a = Memory.getFloat(at);
            float b = Memory.getFloat(at + along);
            float c = Memory.getFloat(at + 2 * along);
            float d = Memory.getFloat(at + 3 * along);
            float part = 1 / (epsilon + a + b + c + d);
            Memory.setFloat(at, a * part);
            Memory.setFloat(at + along, b * part);
            Memory.setFloat(at + 2 * along, c * part);
            Memory.setFloat(at + 3 * along, d * part);
        }
    }
}
