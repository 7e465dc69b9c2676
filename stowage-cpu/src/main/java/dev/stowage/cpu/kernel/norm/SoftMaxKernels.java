package dev.stowage.cpu.kernel.norm;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static dev.stowage.cpu.kernel.math.ExpKernels.C2;
import static dev.stowage.cpu.kernel.math.ExpKernels.C3;
import static dev.stowage.cpu.kernel.math.ExpKernels.C4;
import static dev.stowage.cpu.kernel.math.ExpKernels.C5;
import static dev.stowage.cpu.kernel.math.ExpKernels.EXPONENT_SHIFT;
import static dev.stowage.cpu.kernel.math.ExpKernels.LOG2_E;
import static dev.stowage.cpu.kernel.math.ExpKernels.LOWEST;
import static dev.stowage.cpu.kernel.math.ExpKernels.MINUS_LN2_HIGH;
import static dev.stowage.cpu.kernel.math.ExpKernels.MINUS_LN2_LOW;
import static dev.stowage.cpu.kernel.math.ExpKernels.ROUND;

import dev.stowage.cpu.kernel.LaneSums;
import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.math.ExpKernels;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The softmax of one row of floats in three passes: the maximum, the exponentials and their sum, and the division. The
 * row stays in the L1 cache in between.
 */
public final class SoftMaxKernels {

    /** Where a row has no mask. */
    public static final long NO_MASK = 0;

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> I = IntVector.SPECIES_PREFERRED;
    private static final Class<? extends Vector<Float>> TYPE = F.vectorType();
    private static final Class<? extends Vector<Integer>> BITS = I.vectorType();
    private static final int STEP = F.vectorByteSize();
    private static final int TWO = 2 * STEP;

    /** The exponent of 1 in its place. */
    private static final int ONE_BITS = Float.floatToRawIntBits(1f);

    private SoftMaxKernels() {}

    /**
     * Writes the softmax of {@code a * scale + mask * slope}, where {@code a} may be at {@code to}.
     *
     * @param mask the address of as many floats, or {@link #NO_MASK}
     * @param sink one more score, which has no place in the result; minus infinity for none
     */
    public static void softMax(long a, long mask, long to, long n, float scale, float slope, float sink) {
        float largest = mask == NO_MASK ? scores(a, to, n, scale) : maskedScores(a, mask, to, n, scale, slope);
        // A comparison drops NaN, which then makes the sum NaN.
        float max = sink > largest || Float.isNaN(sink) ? sink : largest;
        if (!Float.isFinite(max)) {
            fill(to, n, Float.NaN);
            return;
        }
        double sum = exponentials(to, n, max);
        if (sink != Float.NEGATIVE_INFINITY) {
            sum += Math.exp((double) sink - max);
        }
        RowScalingKernels.scale(to, to, n, (float) (1 / sum));
    }

    /** Writes {@code a * scale} and gives the largest of that. */
    private static float scores(long a, long to, long n, float scale) {
        FloatVector scales = FloatVector.broadcast(F, scale);
        FloatVector m0 = FloatVector.broadcast(F, Float.NEGATIVE_INFINITY);
        FloatVector m1 = m0;
        long bytes = n << 2;
        long at = 0;
        for (; at <= bytes - TWO; at += TWO) {
            FloatVector s0 =
                    FloatVector.fromMemorySegment(F, ALL, a + at, ORDER).mul(scales);
            FloatVector s1 =
                    FloatVector.fromMemorySegment(F, ALL, a + at + STEP, ORDER).mul(scales);
            s0.intoMemorySegment(ALL, to + at, ORDER);
            s1.intoMemorySegment(ALL, to + at + STEP, ORDER);
            m0 = s0.blend(m0, s0.compare(VectorOperators.GT, m0).not());
            m1 = s1.blend(m1, s1.compare(VectorOperators.GT, m1).not());
        }
        float max = ((FloatVector) TYPE.cast(m0)).max(m1).reduceLanes(VectorOperators.MAX);
        for (; at < bytes; at += Float.BYTES) {
            float s = Memory.getFloat(a + at) * scale;
            Memory.setFloat(to + at, s);
            max = s > max ? s : max;
        }
        return max;
    }

    /** Writes {@code a * scale + mask * slope} and gives the largest of that. */
    private static float maskedScores(long a, long mask, long to, long n, float scale, float slope) {
        FloatVector scales = FloatVector.broadcast(F, scale);
        FloatVector slopes = FloatVector.broadcast(F, slope);
        FloatVector m0 = FloatVector.broadcast(F, Float.NEGATIVE_INFINITY);
        FloatVector m1 = m0;
        long bytes = n << 2;
        long at = 0;
        for (; at <= bytes - TWO; at += TWO) {
            FloatVector k0 =
                    FloatVector.fromMemorySegment(F, ALL, mask + at, ORDER).mul(slopes);
            FloatVector k1 = FloatVector.fromMemorySegment(F, ALL, mask + at + STEP, ORDER)
                    .mul(slopes);
            FloatVector s0 =
                    FloatVector.fromMemorySegment(F, ALL, a + at, ORDER).fma(scales, k0);
            FloatVector s1 =
                    FloatVector.fromMemorySegment(F, ALL, a + at + STEP, ORDER).fma(scales, k1);
            s0.intoMemorySegment(ALL, to + at, ORDER);
            s1.intoMemorySegment(ALL, to + at + STEP, ORDER);
            m0 = s0.blend(m0, s0.compare(VectorOperators.GT, m0).not());
            m1 = s1.blend(m1, s1.compare(VectorOperators.GT, m1).not());
        }
        float max = ((FloatVector) TYPE.cast(m0)).max(m1).reduceLanes(VectorOperators.MAX);
        for (; at < bytes; at += Float.BYTES) {
            float s = Math.fma(Memory.getFloat(a + at), scale, Memory.getFloat(mask + at) * slope);
            Memory.setFloat(to + at, s);
            max = s > max ? s : max;
        }
        return max;
    }

    /**
     * Replaces {@code n} floats that are at most {@code max} by the exponentials of their distances to it, and gives the
     * sum of these. As {@link ExpKernels} has it, but for the power of two, which is multiplied with: so NaN stays NaN
     * whatever its bits are.
     */
    private static double exponentials(long at, long n, float max) {
        FloatVector log2e = FloatVector.broadcast(F, LOG2_E);
        FloatVector round = FloatVector.broadcast(F, ROUND);
        FloatVector high = FloatVector.broadcast(F, MINUS_LN2_HIGH);
        FloatVector low = FloatVector.broadcast(F, MINUS_LN2_LOW);
        FloatVector c5 = FloatVector.broadcast(F, C5);
        FloatVector c4 = FloatVector.broadcast(F, C4);
        FloatVector c3 = FloatVector.broadcast(F, C3);
        FloatVector c2 = FloatVector.broadcast(F, C2);
        FloatVector one = FloatVector.broadcast(F, 1f);
        FloatVector zero = FloatVector.zero(F);
        FloatVector largest = FloatVector.broadcast(F, max);
        IntVector bias = IntVector.broadcast(I, ONE_BITS);
        FloatVector sum = zero;
        long end = at + (n << 2);
        for (; at <= end - STEP; at += STEP) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, at, ORDER).sub(largest);
            FloatVector z = x.fma(log2e, round);
            FloatVector k = z.sub(round);
            FloatVector r = k.fma(low, k.fma(high, x));
            FloatVector p = r.fma(c5, c4).fma(r, c3).fma(r, c2).fma(r, one).fma(r, one);
            FloatVector power = ((IntVector) BITS.cast(z.reinterpretAsInts()))
                    .lanewise(VectorOperators.LSHL, EXPONENT_SHIFT)
                    .add(bias)
                    .reinterpretAsFloats();
            FloatVector e = p.mul(power).blend(zero, x.compare(VectorOperators.LT, LOWEST));
            e.intoMemorySegment(ALL, at, ORDER);
            sum = e.add(sum);
        }
        double all = LaneSums.of(((FloatVector) TYPE.cast(sum)));
        for (; at < end; at += Float.BYTES) {
            float e = ExpKernels.exp(Memory.getFloat(at) - max);
            Memory.setFloat(at, e);
            all += e;
        }
        return all;
    }

    private static void fill(long to, long n, float value) {
        for (long i = 0; i < n; i++) {
            Memory.setFloat(to + i * Float.BYTES, value);
        }
    }
}
