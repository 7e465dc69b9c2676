package dev.stowage.cpu.kernel.attention;

import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static dev.stowage.cpu.kernel.math.ExpKernels.C2;
import static dev.stowage.cpu.kernel.math.ExpKernels.C3;
import static dev.stowage.cpu.kernel.math.ExpKernels.C4;
import static dev.stowage.cpu.kernel.math.ExpKernels.C5;
import static dev.stowage.cpu.kernel.math.ExpKernels.EXPONENT_SHIFT;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.NE;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.math.ExpKernels;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Scores between the product with the keys and the product with the values: an online softmax. A lane is a row (a query
 * of a head), and cells follow each other at a stride, so that nothing has to be added up across lanes. It runs over a
 * block of cells at a time, and keeps the largest score and the sum of the weights so far.
 *
 * <p>Scores are logarithms to base two; the factor that makes them so is in the scale of the queries. That saves a
 * multiplication for each weight, which is {@code 2^x} by the polynomial of {@link ExpKernels}:
 *
 * <pre>
 *   z = t + ROUND             the low bits of z are round(t) + 127
 *   r = (t - (z - ROUND)) * ln 2
 *   p(r) * float with the low bits of z as its exponent        zero for an exponent of 0, and NaN for NaN
 * </pre>
 */
public final class AttentionScoreKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    /** The class of vectors that the compiler cannot infer by itself: those that come out of a loop. */
    private static final Class<? extends Vector<Float>> TYPE = F.vectorType();

    private static final Class<? extends Vector<Integer>> INTS =
            VectorSpecies.of(int.class, F.vectorShape()).vectorType();

    private static final float LN_2 = 0x1.62e430p-1f;

    /** Below this a power of two is taken as zero. */
    private static final float LOWEST = -127f;

    private static final float HIGHEST = 127f;

    private static final float ROUND = ExpKernels.ROUND - LOWEST;

    private AttentionScoreKernels() {}

    /**
     * Finds the largest scores.
     *
     * @param s the scores of the first cell
     * @param stride bytes from cell to cell
     * @param max the largest scores so far, which are updated
     * @param factor is set to what the weights of earlier cells are to be multiplied with
     * @return whether a row has a larger score than before
     */
    public static boolean largest(long s, long stride, int cells, long max, long factor) {
        FloatVector before = FloatVector.fromMemorySegment(F, ALL, max, ORDER);
        FloatVector m0 = before;
        FloatVector m1 = before;
        int even = cells & -2;
        for (int cell = 0; cell < even; cell += 2) {
            long at = s + cell * stride;
            FloatVector x0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER);
            FloatVector x1 = FloatVector.fromMemorySegment(F, ALL, at + stride, ORDER);
            m0 = ((FloatVector) TYPE.cast(m0)).blend(x0, x0.compare(GT, m0));
            m1 = ((FloatVector) TYPE.cast(m1)).blend(x1, x1.compare(GT, m1));
        }
        if (even < cells) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, s + even * stride, ORDER);
            m0 = ((FloatVector) TYPE.cast(m0)).blend(x, x.compare(GT, m0));
        }
        FloatVector m = ((FloatVector) TYPE.cast(m0)).blend(m1, ((FloatVector) TYPE.cast(m1)).compare(GT, m0));
        m.intoMemorySegment(ALL, max, ORDER);
        FloatVector t = before.sub(m.blend(0f, m.compare(EQ, Float.NEGATIVE_INFINITY)));
        t = t.blend(LOWEST, t.compare(LT, LOWEST));
        FloatVector z = t.add(ROUND);
        FloatVector r = t.sub(z.sub(ROUND)).mul(LN_2);
        FloatVector one = FloatVector.broadcast(F, 1f);
        FloatVector p = r.fma(FloatVector.broadcast(F, C5), FloatVector.broadcast(F, C4))
                .fma(r, FloatVector.broadcast(F, C3))
                .fma(r, FloatVector.broadcast(F, C2))
                .fma(r, one)
                .fma(r, one);
        p.mul(((IntVector) INTS.cast(z.reinterpretAsInts()))
                        .lanewise(LSHL, EXPONENT_SHIFT)
                        .reinterpretAsFloats())
                .intoMemorySegment(ALL, factor, ORDER);
        return m.compare(NE, before).anyTrue();
    }

    /**
     * Converts scores into weights, the powers of two of what they lack to the largest. In small steps, as the compiler puts
     * vectors onto the heap where a method has too many of them.
     *
     * @param s the scores of the first cell, which the weights replace
     * @param stride bytes from cell to cell
     * @param max the largest scores
     * @param factor what the sums so far are to be multiplied with; overwritten
     * @param sum the sums of weights, which are updated
     */
    public static void weigh(long s, long stride, int cells, long max, long factor, long sum) {
        scale(sum, 0, 1, factor);
        FloatVector m = FloatVector.fromMemorySegment(F, ALL, max, ORDER);
        // A row without any cell yet has no largest score; any number in its place gives its cells no weight.
        m.blend(0f, m.compare(EQ, Float.NEGATIVE_INFINITY)).intoMemorySegment(ALL, factor, ORDER);
        powers(s, stride, cells, factor);
        addUp(s, stride, cells, sum);
    }

    private static void powers(long s, long stride, int cells, long base) {
        FloatVector m = FloatVector.fromMemorySegment(F, ALL, base, ORDER);
        FloatVector c5 = FloatVector.broadcast(F, C5);
        FloatVector c4 = FloatVector.broadcast(F, C4);
        FloatVector c3 = FloatVector.broadcast(F, C3);
        FloatVector c2 = FloatVector.broadcast(F, C2);
        FloatVector one = FloatVector.broadcast(F, 1f);
        for (int cell = 0; cell < cells; cell++) {
            long at = s + cell * stride;
            FloatVector t = FloatVector.fromMemorySegment(F, ALL, at, ORDER).sub(m);
            t = t.blend(LOWEST, t.compare(LT, LOWEST));
            FloatVector z = t.add(ROUND);
            FloatVector r = t.sub(z.sub(ROUND)).mul(LN_2);
            r.fma(c5, c4)
                    .fma(r, c3)
                    .fma(r, c2)
                    .fma(r, one)
                    .fma(r, one)
                    .mul(((IntVector) INTS.cast(z.reinterpretAsInts()))
                            .lanewise(LSHL, EXPONENT_SHIFT)
                            .reinterpretAsFloats())
                    .intoMemorySegment(ALL, at, ORDER);
        }
    }

    private static void addUp(long s, long stride, int cells, long sum) {
        FloatVector total = FloatVector.fromMemorySegment(F, ALL, sum, ORDER);
        for (int cell = 0; cell < cells; cell++) {
            total = FloatVector.fromMemorySegment(F, ALL, s + cell * stride, ORDER)
                    .add(total);
        }
        ((FloatVector) TYPE.cast(total)).intoMemorySegment(ALL, sum, ORDER);
    }

    /**
     * Adds {@code slope * mask} to scores. Where the mask is minus infinity that is the score, whatever it was before.
     *
     * @param slope the slopes of the rows
     */
    public static void mask(long s, long stride, int cells, long mask, long maskStride, long slope) {
        FloatVector slopes = FloatVector.fromMemorySegment(F, ALL, slope, ORDER);
        FloatVector none = FloatVector.broadcast(F, Float.NEGATIVE_INFINITY);
        for (int cell = 0; cell < cells; cell++) {
            long at = s + cell * stride;
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, mask + cell * maskStride, ORDER);
            FloatVector.fromMemorySegment(F, ALL, at, ORDER)
                    .add(x.mul(slopes))
                    .blend(none, x.compare(EQ, none))
                    .intoMemorySegment(ALL, at, ORDER);
        }
    }

    /**
     * Bounds scores: {@code cap * tanh(x)}, where what is given is {@code 2 * log2(e) * x}. The hyperbolic tangent is
     * {@code 1 - 2 / (e^2x + 1)}, good to within some millionths of the cap.
     */
    public static void bound(long s, long stride, int cells, float cap) {
        FloatVector caps = (FloatVector) TYPE.cast(FloatVector.broadcast(F, cap));
        FloatVector one = FloatVector.broadcast(F, 1f);
        for (int cell = 0; cell < cells; cell++) {
            long at = s + cell * stride;
            FloatVector t = FloatVector.fromMemorySegment(F, ALL, at, ORDER);
            t = t.blend(LOWEST, t.compare(LT, LOWEST)).blend(HIGHEST, t.compare(GT, HIGHEST));
            FloatVector z = t.add(ROUND);
            FloatVector r = t.sub(z.sub(ROUND)).mul(LN_2);
            FloatVector p = r.fma(FloatVector.broadcast(F, C5), FloatVector.broadcast(F, C4))
                    .fma(r, FloatVector.broadcast(F, C3))
                    .fma(r, FloatVector.broadcast(F, C2))
                    .fma(r, one)
                    .fma(r, one);
            p = p.mul(((IntVector) INTS.cast(z.reinterpretAsInts()))
                    .lanewise(LSHL, EXPONENT_SHIFT)
                    .reinterpretAsFloats());
            caps.sub(caps.add(caps).div(p.add(one))).intoMemorySegment(ALL, at, ORDER);
        }
    }

    /** Multiplies each of some vectors at a stride with one vector. */
    public static void scale(long o, long stride, int count, long factor) {
        FloatVector f = FloatVector.fromMemorySegment(F, ALL, factor, ORDER);
        for (int i = 0; i < count; i++) {
            long at = o + i * stride;
            FloatVector.fromMemorySegment(F, ALL, at, ORDER).mul(f).intoMemorySegment(ALL, at, ORDER);
        }
    }

    /** Multiplies vectors at a stride with one vector, and adds others like them times another. */
    public static void join(long o, long other, long stride, int count, long factor, long otherFactor) {
        FloatVector f = FloatVector.fromMemorySegment(F, ALL, factor, ORDER);
        FloatVector g = FloatVector.fromMemorySegment(F, ALL, otherFactor, ORDER);
        for (int i = 0; i < count; i++) {
            FloatVector.fromMemorySegment(F, ALL, other + i * stride, ORDER)
                    .fma(
                            g,
                            FloatVector.fromMemorySegment(F, ALL, o + i * stride, ORDER)
                                    .mul(f))
                    .intoMemorySegment(ALL, o + i * stride, ORDER);
        }
    }

    /** Whether all of {@code count} floats of each of some rows are numbers, and none of them infinite. */
    public static boolean areFinite(long from, long stride, int rows, int count) {
        for (int row = 0; row < rows; row++) {
            if (!areFinite(from + row * stride, count)) {
                return false;
            }
        }
        return true;
    }

    private static boolean areFinite(long from, int count) {
        FloatVector zero = FloatVector.zero(F);
        FloatVector sum = zero;
        int whole = count - count % F.length();
        for (int i = 0; i < whole; i += F.length()) {
            sum = FloatVector.fromMemorySegment(F, ALL, from + i * 4L & ADDRESS, ORDER)
                    .fma(zero, sum);
        }
        boolean finite = ((FloatVector) TYPE.cast(sum)).compare(EQ, 0f).allTrue();
        for (int i = whole; i < count; i++) {
            finite &= Float.isFinite(Memory.getFloat(from + i * 4L));
        }
        return finite;
    }
}
