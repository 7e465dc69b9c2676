package dev.stowage.cpu.kernel.product;

import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
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
 * <p>The compiler makes an instruction of a method of a vector only if it knows the exact class of the vector that the
 * method is called on. It does so of one that was just read from memory, but not of one that was converted or comes
 * around a loop; there a cast to the class of the species says it. And it stops inlining methods of ours where a kernel
 * has grown large, so that kernels spell out what helpers would say.
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

    /**
     * 32 halves, the first and the second 16 of which alternate in their planes, as floats in the order of the rows.
     *
     * @param planes the plane of the lower bytes, which that of the upper ones follows
     * @param factor what all are multiplied with
     */
    static void halves(long planes, float factor, long to) {
        long plane = planes & ADDRESS;
        IntVector halves = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(((ShortVector)
                                SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                        .or(((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane + ROWS, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                                .lanewise(VectorOperators.LSHL, 8))))
                .reinterpretAsInts()));
        ((FloatVector) FLOATS.cast(halves.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 3)
                        .and(HALF_BITS)
                        .reinterpretAsFloats()))
                .mul(HALF_SCALE)
                .mul(factor)
                .intoMemorySegment(ALL, to, ORDER);
        ((FloatVector) FLOATS.cast(
                        halves.lanewise(VectorOperators.ASHR, 3).and(HALF_BITS).reinterpretAsFloats()))
                .mul(HALF_SCALE)
                .mul(factor)
                .intoMemorySegment(ALL, to + 64, ORDER);
    }
}
