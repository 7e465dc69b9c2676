package dev.stowage.cpu.kernel;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorSpecies;

/** Small moves of floats around a product of matrices: clearing, copying, transposing. */
public final class PanelKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    /** The class of vectors that the compiler cannot infer by itself: those that were not loaded. */
    private static final Class<? extends Vector<Float>> TYPE = F.vectorType();

    private static final long V = F.vectorByteSize();

    /** Columns of a transposition that are taken together, so that what is fetched to write to is used whole. */
    private static final long STRIP = 16;

    private PanelKernels() {}

    /** Sets floats to zero. */
    public static void zero(long to, long count) {
        FloatVector zero = FloatVector.zero(F);
        long end = to + count * 4;
        long at = to;
        for (; at + V <= end; at += V) {
            ((FloatVector) TYPE.cast(zero)).intoMemorySegment(ALL, at, ORDER);
        }
        for (; at < end; at += 4) {
            Memory.setFloat(at, 0f);
        }
    }

    /** Copies floats; for runs too short for {@link Memory#copy} to be worth the call. */
    public static void copy(long from, long to, long count) {
        long bytes = count * 4;
        long at = 0;
        for (; at + V <= bytes; at += V) {
            FloatVector.fromMemorySegment(F, ALL, from + at, ORDER).intoMemorySegment(ALL, to + at, ORDER);
        }
        for (; at < bytes; at += 4) {
            Memory.setFloat(to + at, Memory.getFloat(from + at));
        }
    }

    /** Copies rows that are too few for a tile, and appends rows of zeros. */
    public static void fillUp(long from, long stride, int rows, int wanted, int steps, long to) {
        for (int row = 0; row < rows; row++) {
            copy(from + row * stride, to + 4L * row * steps, steps);
        }
        zero(to + 4L * rows * steps, (long) (wanted - rows) * steps);
    }

    /** Copies {@code count} floats of each of some rows to a panel, and zeros after them up to its width. */
    public static void pack(long from, long stride, int count, int steps, long panel, int width) {
        for (int step = 0; step < steps; step++) {
            long row = panel + (long) step * width * 4;
            copy(from + step * stride, row, count);
            zero(row + count * 4L, width - count);
        }
    }

    /** Writes element {@code i} of row {@code r}, for rows from {@code first} to {@code end}, as element r of row i. */
    public static void transpose(long from, long stride, long first, long end, long width, long to, long toStride) {
        for (long strip = 0; strip < width; strip += STRIP) {
            long stripEnd = Math.min(width, strip + STRIP);
            for (long row = first; row < end; row++) {
                for (long i = strip; i < stripEnd; i++) {
                    Memory.setFloat(to + i * toStride + row * 4, Memory.getFloat(from + row * stride + i * 4));
                }
            }
        }
    }
}
