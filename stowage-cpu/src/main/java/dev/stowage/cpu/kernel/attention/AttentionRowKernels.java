package dev.stowage.cpu.kernel.attention;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.FLOAT;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.GT;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.PanelKernels;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Attention for few rows of queries, too few to fill lanes: here lanes are elements of keys and values. Rows come in
 * fours, which share what is read, or alone. The products of a key and four queries are added up across lanes for many
 * cells together, as that takes fewer steps than for each of them:
 *
 * <pre>
 *   a0 a1 a2 a3     b0 b1 b2 b3            two sums that are spread over lanes
 *      a0+a1 b0+b1 a2+a3 b2+b3             become one vector; the next step puts two such together
 * </pre>
 */
public final class AttentionRowKernels {

    /** Rows that are worked on together. */
    public static final int ROWS = 4;

    /** Cells that scores are computed for together. */
    public static final int CELLS = 4;

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    /** The class of vectors that the compiler cannot infer by itself: those that come out of a loop. */
    private static final Class<? extends Vector<Float>> TYPE = F.vectorType();

    private static final long V = F.vectorByteSize();

    private static final VectorShuffle<Float> BY_1 = swap(1);
    private static final VectorShuffle<Float> BY_2 = swap(2);
    private static final VectorShuffle<Float> BY_4 = swap(4);
    private static final VectorShuffle<Float> BY_8 = swap(8);
    private static final VectorMask<Float> ODD_1 = odd(1);
    private static final VectorMask<Float> ODD_2 = odd(2);
    private static final VectorMask<Float> ODD_4 = odd(4);
    private static final VectorMask<Float> ODD_8 = odd(8);

    private AttentionRowKernels() {}

    private static VectorShuffle<Float> swap(int distance) {
        return VectorShuffle.fromOp(F, lane -> (lane ^ distance) % F.length());
    }

    private static VectorMask<Float> odd(int distance) {
        boolean[] lanes = new boolean[F.length()];
        for (int lane = 0; lane < lanes.length; lane++) {
            lanes[lane] = (lane & distance) != 0;
        }
        return VectorMask.fromArray(F, lanes, 0);
    }

    /**
     * The scores of cells, a multiple of {@link #CELLS}, for rows of queries.
     *
     * @param rows 4 or 1
     * @param bytes the length of keys and queries, a whole number of vectors
     * @param sums memory for a vector for each row and cell, a whole number of vectors of them
     * @param to is set to the scores: for each cell one of each row
     */
    public static void scores(
            int rows, long k, long stride, int cells, long q, long qStride, long bytes, long sums, long to) {
        long at = sums;
        for (int cell = 0; cell < cells; cell += CELLS) {
            if (rows == ROWS) {
                scores4x4(k + cell * stride, stride, q, qStride, bytes, at);
            } else {
                scores4x1(k + cell * stride, stride, q, bytes, at);
            }
            at += (long) rows * CELLS * V;
        }
        fold(sums, rows * cells, to);
    }

    /** Adds up the lanes of each of {@code count} vectors, a whole number of vectors of them, and writes the sums. */
    public static void fold(long sums, int count, long to) {
        foldBy1And2(sums, count / 4);
        if (F.length() == 8) {
            foldBy4(sums, count / 8);
        } else if (F.length() > 8) {
            foldBy4And8(sums, count / 16);
        }
        PanelKernels.copy(sums, to, count);
    }

    private static void foldBy1And2(long sums, int fours) {
        for (int i = 0; i < fours; i++) {
            FloatVector a = FloatVector.fromMemorySegment(F, ALL, sums + 4L * i * V, ORDER);
            FloatVector b = FloatVector.fromMemorySegment(F, ALL, sums + 4L * i * V + V, ORDER);
            FloatVector c = FloatVector.fromMemorySegment(F, ALL, sums + 4L * i * V + 2 * V, ORDER);
            FloatVector d = FloatVector.fromMemorySegment(F, ALL, sums + 4L * i * V + 3 * V, ORDER);
            a = a.blend(b, ODD_1).add(b.blend(a, ODD_1).rearrange(BY_1));
            c = c.blend(d, ODD_1).add(d.blend(c, ODD_1).rearrange(BY_1));
            a = a.blend(c, ODD_2).add(c.blend(a, ODD_2).rearrange(BY_2));
            a.intoMemorySegment(ALL, sums + i * V, ORDER);
        }
    }

    private static void foldBy4And8(long sums, int fours) {
        for (int i = 0; i < fours; i++) {
            FloatVector a = FloatVector.fromMemorySegment(F, ALL, sums + 4L * i * V, ORDER);
            FloatVector b = FloatVector.fromMemorySegment(F, ALL, sums + 4L * i * V + V, ORDER);
            FloatVector c = FloatVector.fromMemorySegment(F, ALL, sums + 4L * i * V + 2 * V, ORDER);
            FloatVector d = FloatVector.fromMemorySegment(F, ALL, sums + 4L * i * V + 3 * V, ORDER);
            a = a.blend(b, ODD_4).add(b.blend(a, ODD_4).rearrange(BY_4));
            c = c.blend(d, ODD_4).add(d.blend(c, ODD_4).rearrange(BY_4));
            a = a.blend(c, ODD_8).add(c.blend(a, ODD_8).rearrange(BY_8));
            a.intoMemorySegment(ALL, sums + i * V, ORDER);
        }
    }

    private static void foldBy4(long sums, int pairs) {
        for (int i = 0; i < pairs; i++) {
            FloatVector a = FloatVector.fromMemorySegment(F, ALL, sums + 2L * i * V, ORDER);
            FloatVector b = FloatVector.fromMemorySegment(F, ALL, sums + 2L * i * V + V, ORDER);
            a.blend(b, ODD_4).add(b.blend(a, ODD_4).rearrange(BY_4)).intoMemorySegment(ALL, sums + i * V, ORDER);
        }
    }

    /**
     * Adds to the means of rows.
     *
     * @param rows 4 or 1
     * @param p the weights: for each cell one of each row
     * @param bytes the length of values and means, a whole number of vectors
     */
    public static void values(int rows, long v, long stride, long p, int cells, long o, long oStride, long bytes) {
        long at = 0;
        for (; at + 4 * V <= bytes; at += 4 * V) {
            if (rows == ROWS) {
                values4x4(v + at, stride, p, cells, o + at, oStride);
            } else {
                values1x4(v + at, stride, p, cells, o + at);
            }
        }
        for (; at < bytes; at += V) {
            if (rows == ROWS) {
                values4x1(v + at, stride, p, cells, o + at, oStride);
            } else {
                values1x1(v + at, stride, p, cells, o + at);
            }
        }
    }

    /** The same without cells that have no weight: their values may be infinite or NaN. */
    public static void sparse(int rows, long v, long stride, long p, int cells, long o, long oStride, int columns) {
        for (int cell = 0; cell < cells; cell++) {
            for (int row = 0; row < rows; row++) {
                float weight = Memory.getFloat(p + ((long) cell * rows + row) * 4);
                if (weight != 0) {
                    add(v + cell * stride, weight, o + row * oStride, columns);
                }
            }
        }
    }

    /** Adds floats times a weight to others. */
    public static void add(long from, float weight, long to, int count) {
        int whole = count - count % F.length();
        for (int i = 0; i < whole; i += F.length()) {
            FloatVector.fromMemorySegment(F, ALL, from + i * 4L, ORDER)
                    .fma(FloatVector.broadcast(F, weight), FloatVector.fromMemorySegment(F, ALL, to + i * 4L, ORDER))
                    .intoMemorySegment(ALL, to + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            Memory.setFloat(
                    to + i * 4L, Math.fma(Memory.getFloat(from + i * 4L), weight, Memory.getFloat(to + i * 4L)));
        }
    }

    /** Multiplies floats with a factor. */
    public static void scale(long from, float factor, long to, int count) {
        int whole = count - count % F.length();
        for (int i = 0; i < whole; i += F.length()) {
            FloatVector.fromMemorySegment(F, ALL, from + i * 4L, ORDER)
                    .mul(factor)
                    .intoMemorySegment(ALL, to + i * 4L, ORDER);
        }
        for (int i = whole; i < count; i++) {
            Memory.setFloat(to + i * 4L, Memory.getFloat(from + i * 4L) * factor);
        }
    }

    /** Whether one of some vectors of weights has a zero in it. */
    public static boolean haveZero(long p, int vectors) {
        for (int i = 0; i < vectors; i++) {
            if (FloatVector.fromMemorySegment(F, ALL, p + i * V, ORDER)
                    .compare(EQ, 0f)
                    .anyTrue()) {
                return true;
            }
        }
        return false;
    }

    /** Writes the larger of the largest scores so far and the scores of each lane. */
    public static void largest(long s, int vectors, long max) {
        FloatVector m = FloatVector.fromMemorySegment(F, ALL, max, ORDER);
        for (int i = 0; i < vectors; i++) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, s + i * V, ORDER);
            m = ((FloatVector) TYPE.cast(m)).blend(x, x.compare(GT, m));
        }
        ((FloatVector) TYPE.cast(m)).intoMemorySegment(ALL, max, ORDER);
    }

    /** The scores of four cells for four rows, each still spread over the lanes of a vector. */
    private static void scores4x4(long k, long stride, long q, long qStride, long bytes, long to) {
        FloatVector zero = FloatVector.zero(F);
        FloatVector s00 = zero;
        FloatVector s01 = zero;
        FloatVector s02 = zero;
        FloatVector s03 = zero;
        FloatVector s10 = zero;
        FloatVector s11 = zero;
        FloatVector s12 = zero;
        FloatVector s13 = zero;
        FloatVector s20 = zero;
        FloatVector s21 = zero;
        FloatVector s22 = zero;
        FloatVector s23 = zero;
        FloatVector s30 = zero;
        FloatVector s31 = zero;
        FloatVector s32 = zero;
        FloatVector s33 = zero;
        for (long at = 0; at < bytes; at += V) {
            FloatVector q0 = FloatVector.fromMemorySegment(F, ALL, q + at, ORDER);
            FloatVector q1 = FloatVector.fromMemorySegment(F, ALL, q + qStride + at, ORDER);
            FloatVector q2 = FloatVector.fromMemorySegment(F, ALL, q + 2 * qStride + at, ORDER);
            FloatVector q3 = FloatVector.fromMemorySegment(F, ALL, q + 3 * qStride + at, ORDER);
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, k + at, ORDER);
            s00 = x.fma(q0, s00);
            s01 = x.fma(q1, s01);
            s02 = x.fma(q2, s02);
            s03 = x.fma(q3, s03);
            x = FloatVector.fromMemorySegment(F, ALL, k + stride + at, ORDER);
            s10 = x.fma(q0, s10);
            s11 = x.fma(q1, s11);
            s12 = x.fma(q2, s12);
            s13 = x.fma(q3, s13);
            x = FloatVector.fromMemorySegment(F, ALL, k + 2 * stride + at, ORDER);
            s20 = x.fma(q0, s20);
            s21 = x.fma(q1, s21);
            s22 = x.fma(q2, s22);
            s23 = x.fma(q3, s23);
            x = FloatVector.fromMemorySegment(F, ALL, k + 3 * stride + at, ORDER);
            s30 = x.fma(q0, s30);
            s31 = x.fma(q1, s31);
            s32 = x.fma(q2, s32);
            s33 = x.fma(q3, s33);
        }
        ((FloatVector) TYPE.cast(s00)).intoMemorySegment(ALL, to, ORDER);
        ((FloatVector) TYPE.cast(s01)).intoMemorySegment(ALL, to + V, ORDER);
        ((FloatVector) TYPE.cast(s02)).intoMemorySegment(ALL, to + 2 * V, ORDER);
        ((FloatVector) TYPE.cast(s03)).intoMemorySegment(ALL, to + 3 * V, ORDER);
        ((FloatVector) TYPE.cast(s10)).intoMemorySegment(ALL, to + 4 * V, ORDER);
        ((FloatVector) TYPE.cast(s11)).intoMemorySegment(ALL, to + 5 * V, ORDER);
        ((FloatVector) TYPE.cast(s12)).intoMemorySegment(ALL, to + 6 * V, ORDER);
        ((FloatVector) TYPE.cast(s13)).intoMemorySegment(ALL, to + 7 * V, ORDER);
        ((FloatVector) TYPE.cast(s20)).intoMemorySegment(ALL, to + 8 * V, ORDER);
        ((FloatVector) TYPE.cast(s21)).intoMemorySegment(ALL, to + 9 * V, ORDER);
        ((FloatVector) TYPE.cast(s22)).intoMemorySegment(ALL, to + 10 * V, ORDER);
        ((FloatVector) TYPE.cast(s23)).intoMemorySegment(ALL, to + 11 * V, ORDER);
        ((FloatVector) TYPE.cast(s30)).intoMemorySegment(ALL, to + 12 * V, ORDER);
        ((FloatVector) TYPE.cast(s31)).intoMemorySegment(ALL, to + 13 * V, ORDER);
        ((FloatVector) TYPE.cast(s32)).intoMemorySegment(ALL, to + 14 * V, ORDER);
        ((FloatVector) TYPE.cast(s33)).intoMemorySegment(ALL, to + 15 * V, ORDER);
    }

    /** The scores of four cells for one row, each still spread over the lanes of a vector. */
    private static void scores4x1(long k, long stride, long q, long bytes, long to) {
        FloatVector zero = FloatVector.zero(F);
        FloatVector s00 = zero;
        FloatVector s10 = zero;
        FloatVector s20 = zero;
        FloatVector s30 = zero;
        for (long at = 0; at < bytes; at += V) {
            FloatVector q0 = FloatVector.fromMemorySegment(F, ALL, q + at, ORDER);
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, k + at, ORDER);
            s00 = x.fma(q0, s00);
            x = FloatVector.fromMemorySegment(F, ALL, k + stride + at, ORDER);
            s10 = x.fma(q0, s10);
            x = FloatVector.fromMemorySegment(F, ALL, k + 2 * stride + at, ORDER);
            s20 = x.fma(q0, s20);
            x = FloatVector.fromMemorySegment(F, ALL, k + 3 * stride + at, ORDER);
            s30 = x.fma(q0, s30);
        }
        ((FloatVector) TYPE.cast(s00)).intoMemorySegment(ALL, to, ORDER);
        ((FloatVector) TYPE.cast(s10)).intoMemorySegment(ALL, to + V, ORDER);
        ((FloatVector) TYPE.cast(s20)).intoMemorySegment(ALL, to + 2 * V, ORDER);
        ((FloatVector) TYPE.cast(s30)).intoMemorySegment(ALL, to + 3 * V, ORDER);
    }

    /** Adds to 4 vectors of the means of four rows. */
    private static void values4x4(long v, long stride, long p, int cells, long o, long oStride) {
        FloatVector o00 = FloatVector.fromMemorySegment(F, ALL, o, ORDER);
        FloatVector o01 = FloatVector.fromMemorySegment(F, ALL, o + V, ORDER);
        FloatVector o02 = FloatVector.fromMemorySegment(F, ALL, o + 2 * V, ORDER);
        FloatVector o03 = FloatVector.fromMemorySegment(F, ALL, o + 3 * V, ORDER);
        FloatVector o10 = FloatVector.fromMemorySegment(F, ALL, o + oStride, ORDER);
        FloatVector o11 = FloatVector.fromMemorySegment(F, ALL, o + oStride + V, ORDER);
        FloatVector o12 = FloatVector.fromMemorySegment(F, ALL, o + oStride + 2 * V, ORDER);
        FloatVector o13 = FloatVector.fromMemorySegment(F, ALL, o + oStride + 3 * V, ORDER);
        FloatVector o20 = FloatVector.fromMemorySegment(F, ALL, o + 2 * oStride, ORDER);
        FloatVector o21 = FloatVector.fromMemorySegment(F, ALL, o + 2 * oStride + V, ORDER);
        FloatVector o22 = FloatVector.fromMemorySegment(F, ALL, o + 2 * oStride + 2 * V, ORDER);
        FloatVector o23 = FloatVector.fromMemorySegment(F, ALL, o + 2 * oStride + 3 * V, ORDER);
        FloatVector o30 = FloatVector.fromMemorySegment(F, ALL, o + 3 * oStride, ORDER);
        FloatVector o31 = FloatVector.fromMemorySegment(F, ALL, o + 3 * oStride + V, ORDER);
        FloatVector o32 = FloatVector.fromMemorySegment(F, ALL, o + 3 * oStride + 2 * V, ORDER);
        FloatVector o33 = FloatVector.fromMemorySegment(F, ALL, o + 3 * oStride + 3 * V, ORDER);
        for (int cell = 0; cell < cells; cell++) {
            long row = v + cell * stride;
            long at = p + cell * 16L;
            FloatVector v0 = FloatVector.fromMemorySegment(F, ALL, row, ORDER);
            FloatVector v1 = FloatVector.fromMemorySegment(F, ALL, row + V, ORDER);
            FloatVector v2 = FloatVector.fromMemorySegment(F, ALL, row + 2 * V, ORDER);
            FloatVector v3 = FloatVector.fromMemorySegment(F, ALL, row + 3 * V, ORDER);
            FloatVector x = FloatVector.broadcast(F, ALL.get(FLOAT, at));
            o00 = v0.fma(x, o00);
            o01 = v1.fma(x, o01);
            o02 = v2.fma(x, o02);
            o03 = v3.fma(x, o03);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, at + 4));
            o10 = v0.fma(x, o10);
            o11 = v1.fma(x, o11);
            o12 = v2.fma(x, o12);
            o13 = v3.fma(x, o13);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, at + 8));
            o20 = v0.fma(x, o20);
            o21 = v1.fma(x, o21);
            o22 = v2.fma(x, o22);
            o23 = v3.fma(x, o23);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, at + 12));
            o30 = v0.fma(x, o30);
            o31 = v1.fma(x, o31);
            o32 = v2.fma(x, o32);
            o33 = v3.fma(x, o33);
        }
        ((FloatVector) TYPE.cast(o00)).intoMemorySegment(ALL, o, ORDER);
        ((FloatVector) TYPE.cast(o01)).intoMemorySegment(ALL, o + V, ORDER);
        ((FloatVector) TYPE.cast(o02)).intoMemorySegment(ALL, o + 2 * V, ORDER);
        ((FloatVector) TYPE.cast(o03)).intoMemorySegment(ALL, o + 3 * V, ORDER);
        ((FloatVector) TYPE.cast(o10)).intoMemorySegment(ALL, o + oStride, ORDER);
        ((FloatVector) TYPE.cast(o11)).intoMemorySegment(ALL, o + oStride + V, ORDER);
        ((FloatVector) TYPE.cast(o12)).intoMemorySegment(ALL, o + oStride + 2 * V, ORDER);
        ((FloatVector) TYPE.cast(o13)).intoMemorySegment(ALL, o + oStride + 3 * V, ORDER);
        ((FloatVector) TYPE.cast(o20)).intoMemorySegment(ALL, o + 2 * oStride, ORDER);
        ((FloatVector) TYPE.cast(o21)).intoMemorySegment(ALL, o + 2 * oStride + V, ORDER);
        ((FloatVector) TYPE.cast(o22)).intoMemorySegment(ALL, o + 2 * oStride + 2 * V, ORDER);
        ((FloatVector) TYPE.cast(o23)).intoMemorySegment(ALL, o + 2 * oStride + 3 * V, ORDER);
        ((FloatVector) TYPE.cast(o30)).intoMemorySegment(ALL, o + 3 * oStride, ORDER);
        ((FloatVector) TYPE.cast(o31)).intoMemorySegment(ALL, o + 3 * oStride + V, ORDER);
        ((FloatVector) TYPE.cast(o32)).intoMemorySegment(ALL, o + 3 * oStride + 2 * V, ORDER);
        ((FloatVector) TYPE.cast(o33)).intoMemorySegment(ALL, o + 3 * oStride + 3 * V, ORDER);
    }

    /** Adds to 1 vector of the means of four rows. */
    private static void values4x1(long v, long stride, long p, int cells, long o, long oStride) {
        FloatVector o00 = FloatVector.fromMemorySegment(F, ALL, o, ORDER);
        FloatVector o10 = FloatVector.fromMemorySegment(F, ALL, o + oStride, ORDER);
        FloatVector o20 = FloatVector.fromMemorySegment(F, ALL, o + 2 * oStride, ORDER);
        FloatVector o30 = FloatVector.fromMemorySegment(F, ALL, o + 3 * oStride, ORDER);
        for (int cell = 0; cell < cells; cell++) {
            long row = v + cell * stride;
            long at = p + cell * 16L;
            FloatVector v0 = FloatVector.fromMemorySegment(F, ALL, row, ORDER);
            FloatVector x = FloatVector.broadcast(F, ALL.get(FLOAT, at));
            o00 = v0.fma(x, o00);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, at + 4));
            o10 = v0.fma(x, o10);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, at + 8));
            o20 = v0.fma(x, o20);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, at + 12));
            o30 = v0.fma(x, o30);
        }
        ((FloatVector) TYPE.cast(o00)).intoMemorySegment(ALL, o, ORDER);
        ((FloatVector) TYPE.cast(o10)).intoMemorySegment(ALL, o + oStride, ORDER);
        ((FloatVector) TYPE.cast(o20)).intoMemorySegment(ALL, o + 2 * oStride, ORDER);
        ((FloatVector) TYPE.cast(o30)).intoMemorySegment(ALL, o + 3 * oStride, ORDER);
    }

    /** Adds to 4 vectors of the means of one row. */
    private static void values1x4(long v, long stride, long p, int cells, long o) {
        FloatVector o00 = FloatVector.fromMemorySegment(F, ALL, o, ORDER);
        FloatVector o01 = FloatVector.fromMemorySegment(F, ALL, o + V, ORDER);
        FloatVector o02 = FloatVector.fromMemorySegment(F, ALL, o + 2 * V, ORDER);
        FloatVector o03 = FloatVector.fromMemorySegment(F, ALL, o + 3 * V, ORDER);
        for (int cell = 0; cell < cells; cell++) {
            long row = v + cell * stride;
            long at = p + cell * 4L;
            FloatVector v0 = FloatVector.fromMemorySegment(F, ALL, row, ORDER);
            FloatVector v1 = FloatVector.fromMemorySegment(F, ALL, row + V, ORDER);
            FloatVector v2 = FloatVector.fromMemorySegment(F, ALL, row + 2 * V, ORDER);
            FloatVector v3 = FloatVector.fromMemorySegment(F, ALL, row + 3 * V, ORDER);
            FloatVector x = FloatVector.broadcast(F, ALL.get(FLOAT, at));
            o00 = v0.fma(x, o00);
            o01 = v1.fma(x, o01);
            o02 = v2.fma(x, o02);
            o03 = v3.fma(x, o03);
        }
        ((FloatVector) TYPE.cast(o00)).intoMemorySegment(ALL, o, ORDER);
        ((FloatVector) TYPE.cast(o01)).intoMemorySegment(ALL, o + V, ORDER);
        ((FloatVector) TYPE.cast(o02)).intoMemorySegment(ALL, o + 2 * V, ORDER);
        ((FloatVector) TYPE.cast(o03)).intoMemorySegment(ALL, o + 3 * V, ORDER);
    }

    /** Adds to 1 vector of the means of one row. */
    private static void values1x1(long v, long stride, long p, int cells, long o) {
        FloatVector o00 = FloatVector.fromMemorySegment(F, ALL, o, ORDER);
        for (int cell = 0; cell < cells; cell++) {
            long row = v + cell * stride;
            long at = p + cell * 4L;
            FloatVector v0 = FloatVector.fromMemorySegment(F, ALL, row, ORDER);
            FloatVector x = FloatVector.broadcast(F, ALL.get(FLOAT, at));
            o00 = v0.fma(x, o00);
        }
        ((FloatVector) TYPE.cast(o00)).intoMemorySegment(ALL, o, ORDER);
    }
}
