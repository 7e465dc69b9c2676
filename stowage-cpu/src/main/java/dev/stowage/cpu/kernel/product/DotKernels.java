package dev.stowage.cpu.kernel.product;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.FLOAT;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static dev.stowage.cpu.kernel.Memory.SHORT;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products of rows of weights with one column of floats, four rows at a time: four streams have more memory requests in
 * flight than one, and each element of the column is loaded once for all four.
 */
public final class DotKernels {

    /** How many rows go together. */
    public static final int ROWS = 4;

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> I = IntVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Short> S = ShortVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Short> HALF_SHORTS =
            VectorSpecies.of(short.class, VectorShape.forBitSize(Math.max(64, F.vectorBitSize() / 2)));
    private static final VectorSpecies<Byte> QUARTER_BYTES =
            VectorSpecies.of(byte.class, VectorShape.forBitSize(Math.max(64, F.vectorBitSize() / 4)));

    private static final int LANES = F.length();
    private static final long V = F.vectorByteSize();

    /** Where a half's sign, exponent and fraction are once it is shifted left so that its fraction meets a float's. */
    private static final int HALF_BITS = 0x8FFFE000;

    private static final int HALF_SHIFT = 13;

    /**
     * A half so shifted is the float 2^112 times too small, subnormal ones too. Half of that is made up for before the
     * sum, in the column, and half after it, so that neither end of the range of floats comes near.
     */
    private static final float BEFORE_SUM = 0x1p64f;

    private static final float AFTER_SUM = 0x1p48f;

    private static final short HALF_MAGNITUDE = 0x7FFF;
    private static final short HALF_INFINITY = 0x7C00;

    private static final Class<? extends Vector<Short>> SHORTS = S.vectorType();
    private static final Class<? extends Vector<Integer>> INTS = I.vectorType();
    private static final Class<? extends Vector<Float>> FLOATS = F.vectorType();

    /** Where the lanes of the sums go before they are added up: after the four results. */
    private static final long LANES_AT = 16;

    /** Bytes that every method here needs at the place its results go to. */
    static final long RESULT_BYTES = LANES_AT + ROWS * V;

    private DotKernels() {}

    /** Four rows of floats; the sums go to {@code to}, one after the other. */
    public static void floats(long a, long stride, long x, int elements, long to) {
        long a1 = a + stride;
        long a2 = a1 + stride;
        long a3 = a2 + stride;
        FloatVector s0 = FloatVector.zero(F);
        FloatVector s1 = s0;
        FloatVector s2 = s0;
        FloatVector s3 = s0;
        FloatVector t0 = s0;
        FloatVector t1 = s0;
        FloatVector t2 = s0;
        FloatVector t3 = s0;
        int i = 0;
        for (; i <= elements - 2 * LANES; i += 2 * LANES) {
            long at = 4L * i;
            FloatVector x0 = FloatVector.fromMemorySegment(F, ALL, x + at, ORDER);
            FloatVector x1 = FloatVector.fromMemorySegment(F, ALL, x + at + V, ORDER);
            s0 = FloatVector.fromMemorySegment(F, ALL, a + at, ORDER).fma(x0, s0);
            s1 = FloatVector.fromMemorySegment(F, ALL, a1 + at, ORDER).fma(x0, s1);
            s2 = FloatVector.fromMemorySegment(F, ALL, a2 + at, ORDER).fma(x0, s2);
            s3 = FloatVector.fromMemorySegment(F, ALL, a3 + at, ORDER).fma(x0, s3);
            t0 = FloatVector.fromMemorySegment(F, ALL, a + at + V, ORDER).fma(x1, t0);
            t1 = FloatVector.fromMemorySegment(F, ALL, a1 + at + V, ORDER).fma(x1, t1);
            t2 = FloatVector.fromMemorySegment(F, ALL, a2 + at + V, ORDER).fma(x1, t2);
            t3 = FloatVector.fromMemorySegment(F, ALL, a3 + at + V, ORDER).fma(x1, t3);
        }
        ((FloatVector) FLOATS.cast(s0)).add(t0).intoMemorySegment(ALL, to + LANES_AT, ORDER);
        ((FloatVector) FLOATS.cast(s1)).add(t1).intoMemorySegment(ALL, to + LANES_AT + V, ORDER);
        ((FloatVector) FLOATS.cast(s2)).add(t2).intoMemorySegment(ALL, to + LANES_AT + 2 * V, ORDER);
        ((FloatVector) FLOATS.cast(s3)).add(t3).intoMemorySegment(ALL, to + LANES_AT + 3 * V, ORDER);
        float r0 = total(to + LANES_AT);
        float r1 = total(to + LANES_AT + V);
        float r2 = total(to + LANES_AT + 2 * V);
        float r3 = total(to + LANES_AT + 3 * V);
        for (; i < elements; i++) {
            long at = 4L * i;
            float value = ALL.get(FLOAT, x + at);
            r0 += ALL.get(FLOAT, a + at) * value;
            r1 += ALL.get(FLOAT, a1 + at) * value;
            r2 += ALL.get(FLOAT, a2 + at) * value;
            r3 += ALL.get(FLOAT, a3 + at) * value;
        }
        store(to, r0, r1, r2, r3);
    }

    /** The sum of a vector's lanes that are in memory, always in the same order, which reduceLanes does not promise. */
    private static float total(long lanes) {
        float sum = 0;
        for (int i = 0; i < LANES; i++) {
            sum += ALL.get(FLOAT, lanes + 4L * i);
        }
        return sum;
    }

    private static void store(long to, float r0, float r1, float r2, float r3) {
        ALL.set(FLOAT, to, r0);
        ALL.set(FLOAT, to + 4, r1);
        ALL.set(FLOAT, to + 8, r2);
        ALL.set(FLOAT, to + 12, r3);
    }

    /**
     * Four rows of halves.
     *
     * @return false if there is an infinity or a NaN among the halves; the sums are wrong then
     */
    public static boolean halves(long a, long stride, long x, int elements, long to) {
        long a1 = a + stride;
        long a2 = a1 + stride;
        long a3 = a2 + stride;
        FloatVector s0 = FloatVector.zero(F);
        FloatVector s1 = s0;
        FloatVector s2 = s0;
        FloatVector s3 = s0;
        ShortVector largest = ShortVector.zero(S);
        int i = 0;
        for (; i <= elements - 2 * LANES; i += 2 * LANES) {
            long at = 2L * i;
            largest = ShortVector.fromMemorySegment(S, ALL, a + at, ORDER)
                    .and(HALF_MAGNITUDE)
                    .max(largest);
            largest = ShortVector.fromMemorySegment(S, ALL, a1 + at, ORDER)
                    .and(HALF_MAGNITUDE)
                    .max(largest);
            largest = ShortVector.fromMemorySegment(S, ALL, a2 + at, ORDER)
                    .and(HALF_MAGNITUDE)
                    .max(largest);
            largest = ShortVector.fromMemorySegment(S, ALL, a3 + at, ORDER)
                    .and(HALF_MAGNITUDE)
                    .max(largest);
            FloatVector x0 = ((FloatVector) FLOATS.cast(FloatVector.fromMemorySegment(F, ALL, x + 2 * at, ORDER)))
                    .mul(BEFORE_SUM);
            s0 = x0.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, HALF_SHIFT)
                            .and(HALF_BITS)
                            .reinterpretAsFloats(),
                    s0);
            s1 = x0.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a1 + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, HALF_SHIFT)
                            .and(HALF_BITS)
                            .reinterpretAsFloats(),
                    s1);
            s2 = x0.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a2 + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, HALF_SHIFT)
                            .and(HALF_BITS)
                            .reinterpretAsFloats(),
                    s2);
            s3 = x0.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a3 + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, HALF_SHIFT)
                            .and(HALF_BITS)
                            .reinterpretAsFloats(),
                    s3);
            at += V / 2;
            FloatVector x1 = ((FloatVector) FLOATS.cast(FloatVector.fromMemorySegment(F, ALL, x + 2 * at, ORDER)))
                    .mul(BEFORE_SUM);
            s0 = x1.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, HALF_SHIFT)
                            .and(HALF_BITS)
                            .reinterpretAsFloats(),
                    s0);
            s1 = x1.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a1 + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, HALF_SHIFT)
                            .and(HALF_BITS)
                            .reinterpretAsFloats(),
                    s1);
            s2 = x1.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a2 + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, HALF_SHIFT)
                            .and(HALF_BITS)
                            .reinterpretAsFloats(),
                    s2);
            s3 = x1.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a3 + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, HALF_SHIFT)
                            .and(HALF_BITS)
                            .reinterpretAsFloats(),
                    s3);
        }
        ((FloatVector) FLOATS.cast(s0)).intoMemorySegment(ALL, to + LANES_AT, ORDER);
        ((FloatVector) FLOATS.cast(s1)).intoMemorySegment(ALL, to + LANES_AT + V, ORDER);
        ((FloatVector) FLOATS.cast(s2)).intoMemorySegment(ALL, to + LANES_AT + 2 * V, ORDER);
        ((FloatVector) FLOATS.cast(s3)).intoMemorySegment(ALL, to + LANES_AT + 3 * V, ORDER);
        float r0 = total(to + LANES_AT) * AFTER_SUM;
        float r1 = total(to + LANES_AT + V) * AFTER_SUM;
        float r2 = total(to + LANES_AT + 2 * V) * AFTER_SUM;
        float r3 = total(to + LANES_AT + 3 * V) * AFTER_SUM;
        for (; i < elements; i++) {
            float value = ALL.get(FLOAT, x + 4L * i);
            r0 += Float.float16ToFloat(ALL.get(SHORT, a + 2L * i)) * value;
            r1 += Float.float16ToFloat(ALL.get(SHORT, a1 + 2L * i)) * value;
            r2 += Float.float16ToFloat(ALL.get(SHORT, a2 + 2L * i)) * value;
            r3 += Float.float16ToFloat(ALL.get(SHORT, a3 + 2L * i)) * value;
        }
        store(to, r0, r1, r2, r3);
        return ((ShortVector) SHORTS.cast(largest)).reduceLanes(VectorOperators.MAX) < HALF_INFINITY;
    }

    /** Four rows of brain floats. */
    public static void brainFloats(long a, long stride, long x, int elements, long to) {
        long a1 = a + stride;
        long a2 = a1 + stride;
        long a3 = a2 + stride;
        FloatVector s0 = FloatVector.zero(F);
        FloatVector s1 = s0;
        FloatVector s2 = s0;
        FloatVector s3 = s0;
        int i = 0;
        for (; i <= elements - LANES; i += LANES) {
            long at = 2L * i;
            FloatVector x0 = (FloatVector) FLOATS.cast(FloatVector.fromMemorySegment(F, ALL, x + 2 * at, ORDER));
            s0 = x0.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, Short.SIZE)
                            .reinterpretAsFloats(),
                    s0);
            s1 = x0.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a1 + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, Short.SIZE)
                            .reinterpretAsFloats(),
                    s1);
            s2 = x0.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a2 + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, Short.SIZE)
                            .reinterpretAsFloats(),
                    s2);
            s3 = x0.fma(
                    ((IntVector) INTS.cast(ShortVector.fromMemorySegment(HALF_SHORTS, ALL, a3 + at, ORDER)
                                    .convertShape(VectorOperators.S2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, Short.SIZE)
                            .reinterpretAsFloats(),
                    s3);
        }
        ((FloatVector) FLOATS.cast(s0)).intoMemorySegment(ALL, to + LANES_AT, ORDER);
        ((FloatVector) FLOATS.cast(s1)).intoMemorySegment(ALL, to + LANES_AT + V, ORDER);
        ((FloatVector) FLOATS.cast(s2)).intoMemorySegment(ALL, to + LANES_AT + 2 * V, ORDER);
        ((FloatVector) FLOATS.cast(s3)).intoMemorySegment(ALL, to + LANES_AT + 3 * V, ORDER);
        float r0 = total(to + LANES_AT);
        float r1 = total(to + LANES_AT + V);
        float r2 = total(to + LANES_AT + 2 * V);
        float r3 = total(to + LANES_AT + 3 * V);
        for (; i < elements; i++) {
            float value = ALL.get(FLOAT, x + 4L * i);
            r0 += Float.intBitsToFloat(ALL.get(SHORT, a + 2L * i) << Short.SIZE) * value;
            r1 += Float.intBitsToFloat(ALL.get(SHORT, a1 + 2L * i) << Short.SIZE) * value;
            r2 += Float.intBitsToFloat(ALL.get(SHORT, a2 + 2L * i) << Short.SIZE) * value;
            r3 += Float.intBitsToFloat(ALL.get(SHORT, a3 + 2L * i) << Short.SIZE) * value;
        }
        store(to, r0, r1, r2, r3);
    }

    /** Four rows of q8_0 blocks: a half that 32 signed bytes are multiplied with. */
    public static void q80(long a, long stride, long x, int blocks, long to) {
        long a1 = a + stride;
        long a2 = a1 + stride;
        long a3 = a2 + stride;
        FloatVector s0 = FloatVector.zero(F);
        FloatVector s1 = s0;
        FloatVector s2 = s0;
        FloatVector s3 = s0;
        for (int block = 0; block < blocks; block++) {
            long at = 34L * block;
            long column = x + 128L * block;
            FloatVector p0 = FloatVector.zero(F);
            FloatVector p1 = p0;
            FloatVector p2 = p0;
            FloatVector p3 = p0;
            for (int i = 0; i < 32; i += LANES) {
                FloatVector x0 =
                        (FloatVector) FLOATS.cast(FloatVector.fromMemorySegment(F, ALL, column + 4L * i, ORDER));
                long from = at + 2 + i;
                p0 = x0.fma(
                        (FloatVector) ByteVector.fromMemorySegment(QUARTER_BYTES, ALL, a + from, ORDER)
                                .convertShape(VectorOperators.B2F, F, 0),
                        p0);
                p1 = x0.fma(
                        (FloatVector) ByteVector.fromMemorySegment(QUARTER_BYTES, ALL, a1 + from, ORDER)
                                .convertShape(VectorOperators.B2F, F, 0),
                        p1);
                p2 = x0.fma(
                        (FloatVector) ByteVector.fromMemorySegment(QUARTER_BYTES, ALL, a2 + from, ORDER)
                                .convertShape(VectorOperators.B2F, F, 0),
                        p2);
                p3 = x0.fma(
                        (FloatVector) ByteVector.fromMemorySegment(QUARTER_BYTES, ALL, a3 + from, ORDER)
                                .convertShape(VectorOperators.B2F, F, 0),
                        p3);
            }
            s0 = ((FloatVector) FLOATS.cast(p0))
                    .fma(FloatVector.broadcast(F, Float.float16ToFloat(ALL.get(SHORT, a + at))), s0);
            s1 = ((FloatVector) FLOATS.cast(p1))
                    .fma(FloatVector.broadcast(F, Float.float16ToFloat(ALL.get(SHORT, a1 + at))), s1);
            s2 = ((FloatVector) FLOATS.cast(p2))
                    .fma(FloatVector.broadcast(F, Float.float16ToFloat(ALL.get(SHORT, a2 + at))), s2);
            s3 = ((FloatVector) FLOATS.cast(p3))
                    .fma(FloatVector.broadcast(F, Float.float16ToFloat(ALL.get(SHORT, a3 + at))), s3);
        }
        ((FloatVector) FLOATS.cast(s0)).intoMemorySegment(ALL, to + LANES_AT, ORDER);
        ((FloatVector) FLOATS.cast(s1)).intoMemorySegment(ALL, to + LANES_AT + V, ORDER);
        ((FloatVector) FLOATS.cast(s2)).intoMemorySegment(ALL, to + LANES_AT + 2 * V, ORDER);
        ((FloatVector) FLOATS.cast(s3)).intoMemorySegment(ALL, to + LANES_AT + 3 * V, ORDER);
        float r0 = total(to + LANES_AT);
        float r1 = total(to + LANES_AT + V);
        float r2 = total(to + LANES_AT + 2 * V);
        float r3 = total(to + LANES_AT + 3 * V);
        store(to, r0, r1, r2, r3);
    }
}
