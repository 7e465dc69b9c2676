package dev.stowage.cpu.kernel.norm;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** Rows of floats or ints reduced to one number each: sums, argmax, counts. */
public final class RowReductionKernels {

    /** So many floats are added up in floats before the sum goes on in doubles. */
    private static final long BLOCK = 4096;

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> I = IntVector.SPECIES_PREFERRED;
    private static final Class<? extends Vector<Float>> TYPE = F.vectorType();
    private static final int STEP = F.vectorByteSize();

    private RowReductionKernels() {}

    /** The sum of {@code n} floats. */
    public static double sum(long from, long n) {
        double sum = 0;
        for (long i = 0; i < n; i += BLOCK) {
            long count = Math.min(BLOCK, n - i);
            float part = RowScalingKernels.sum(from + i * Float.BYTES, count);
            sum += Float.isFinite(part) ? part : preciseSum(from + i * Float.BYTES, count);
        }
        return sum;
    }

    /** For what leaves the range of floats on the way. */
    private static double preciseSum(long from, long n) {
        double sum = 0;
        for (long i = 0; i < n; i++) {
            sum += Memory.getFloat(from + i * Float.BYTES);
        }
        return sum;
    }

    /** Writes the sums of {@code n} floats up to and with each, which may be to where they are. */
    public static void cumulate(long from, long to, long n) {
        double sum = 0;
        for (long i = 0; i < n; i++) {
            sum += Memory.getFloat(from + i * Float.BYTES);
            Memory.setFloat(to + i * Float.BYTES, (float) sum);
        }
    }

    /**
     * The last place of the largest of {@code n} floats. NaN is never the largest, but makes what stands before it not
     * count; where nothing counts the place is 0.
     */
    public static int placeOfLargest(long from, long n) {
        FloatVector largest = FloatVector.broadcast(F, Float.NEGATIVE_INFINITY);
        long bytes = n << 2;
        long whole = bytes - bytes % STEP;
        for (long at = 0; at < whole; at += STEP) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            if (x.compare(VectorOperators.NE, x).anyTrue()) {
                return placeInTurn(from, n);
            }
            largest = x.blend(largest, x.compare(VectorOperators.LT, largest));
        }
        float max = ((FloatVector) TYPE.cast(largest)).reduceLanes(VectorOperators.MAX);
        int place = -1;
        for (long at = whole; at < bytes; at += Float.BYTES) {
            float x = Memory.getFloat(from + at);
            if (Float.isNaN(x)) {
                return placeInTurn(from, n);
            }
            if (!(x < max)) {
                max = x;
                place = (int) (at >> 2);
            }
        }
        return place >= 0 ? place : lastPlaceOf(max, from, whole);
    }

    private static int lastPlaceOf(float value, long from, long bytes) {
        for (long at = bytes - STEP; at >= 0; at -= STEP) {
            int lane = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER)
                    .compare(VectorOperators.EQ, value)
                    .lastTrue();
            if (lane >= 0) {
                return (int) (at >> 2) + lane;
            }
        }
        return 0;
    }

    private static int placeInTurn(long from, long n) {
        float largest = Float.NEGATIVE_INFINITY;
        int place = 0;
        for (int i = 0; i < n; i++) {
            float x = Memory.getFloat(from + (long) i * Float.BYTES);
            if (!(x < largest)) {
                largest = x;
                place = Float.isNaN(x) ? place : i;
            }
        }
        return place;
    }

    /** In how many places {@code n} ints at two addresses are equal. */
    public static long countEqual(long a, long b, long n) {
        long bytes = n << 2;
        long count = 0;
        long at = 0;
        for (; at <= bytes - STEP; at += STEP) {
            count += IntVector.fromMemorySegment(I, ALL, a + at, ORDER)
                    .compare(VectorOperators.EQ, IntVector.fromMemorySegment(I, ALL, b + at, ORDER))
                    .trueCount();
        }
        for (; at < bytes; at += Integer.BYTES) {
            count += Memory.getInt(a + at) == Memory.getInt(b + at) ? 1 : 0;
        }
        return count;
    }
}
