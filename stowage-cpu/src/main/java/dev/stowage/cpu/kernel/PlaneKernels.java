package dev.stowage.cpu.kernel;

import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.INT;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * What the kernels of interleaved rows share: numbers whose bytes are spread over planes of 32 rows.
 *
 * <p>The compiler turns a method of a vector into an instruction only if it knows the exact class of the vector that the
 * method is called on. It does so of one that was just read from memory, but not of one that was converted or comes
 * around a loop; there the casts here tell it. They are small enough to be inlined always.
 */
final class PlaneKernels {

    /** Where a half's sign, exponent and fraction are once it is shifted so that its fraction meets a float's. */
    static final int HALF_BITS = 0x8FFFE000;

    /** What makes a half so shifted the float it stands for, subnormal ones too. */
    static final float HALF_SCALE = 0x1p112f;

    private static final int ROWS = 32;

    private static final VectorSpecies<Short> S = ShortVector.SPECIES_512;
    private static final VectorSpecies<Integer> I = IntVector.SPECIES_512;
    private static final VectorSpecies<Float> F = FloatVector.SPECIES_512;
    private static final VectorSpecies<Byte> B = ByteVector.SPECIES_256;

    private static final Class<? extends Vector<Short>> SHORTS = S.vectorType();
    private static final Class<? extends Vector<Integer>> INTS = I.vectorType();
    private static final Class<? extends Vector<Float>> FLOATS = F.vectorType();

    private PlaneKernels() {}

    /** A plane, its bytes without a sign as 16-bit numbers. */
    static ShortVector plane(long address) {
        return (ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, address, ORDER)
                .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0));
    }

    /** A pair of 16-bit numbers, in all lanes. */
    static ShortVector spread(long address) {
        return ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, address)))).reinterpretAsShorts();
    }

    static ShortVector shorts(Vector<Short> vector) {
        return (ShortVector) SHORTS.cast(vector);
    }

    /** A vector of 16-bit numbers as pairs of them. */
    static IntVector pairs(Vector<Short> vector) {
        return (IntVector) INTS.cast(((ShortVector) SHORTS.cast(vector)).reinterpretAsInts());
    }

    static IntVector ints(Vector<Integer> vector) {
        return (IntVector) INTS.cast(vector);
    }

    static FloatVector floats(Vector<Float> vector) {
        return (FloatVector) FLOATS.cast(vector);
    }

    /** Whole numbers as floats. */
    static FloatVector toFloats(IntVector vector) {
        return (FloatVector) FLOATS.cast(((IntVector) INTS.cast(vector)).convert(VectorOperators.I2F, 0));
    }

    /** The halves in the lower part of pairs, {@value #HALF_SCALE} times too small. */
    static FloatVector lowerHalves(IntVector pairs) {
        return (FloatVector) FLOATS.cast(pairs.lanewise(VectorOperators.LSHL, 16)
                .lanewise(VectorOperators.ASHR, 3)
                .and(HALF_BITS)
                .reinterpretAsFloats());
    }

    /** The halves in the upper part of pairs, {@value #HALF_SCALE} times too small. */
    static FloatVector upperHalves(IntVector pairs) {
        return (FloatVector) FLOATS.cast(
                pairs.lanewise(VectorOperators.ASHR, 3).and(HALF_BITS).reinterpretAsFloats());
    }

    /** Pairs of halves whose lower bytes are in one plane and whose upper ones in the next. */
    static IntVector halfPairs(long planes) {
        return pairs(plane(planes).or(plane(planes + ROWS).lanewise(VectorOperators.LSHL, 8)));
    }

    /**
     * 32 halves, the first and the second 16 of which alternate in their planes, as floats in the order of the rows.
     *
     * @param planes the plane of the lower bytes, behind which lies that of the upper ones
     * @param factor what all are multiplied with
     */
    static void halves(long planes, float factor, long to) {
        IntVector halves = halfPairs(planes & ADDRESS);
        lowerHalves(halves).mul(HALF_SCALE).mul(factor).intoMemorySegment(ALL, to, ORDER);
        upperHalves(halves).mul(HALF_SCALE).mul(factor).intoMemorySegment(ALL, to + 64, ORDER);
    }
}
