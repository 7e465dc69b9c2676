package dev.stowage.cpu.kernel.product;

import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.FLOAT;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Two groups of 32 {@linkplain dev.stowage.cpu.weights.Interleaving interleaved} rows of q8_0 times a column of floats: 2
 * planes of scales, then 32 planes of weights, the rows in their own order.
 */
public final class InterleavedQ8_0 {

    private static final int ROWS = 32;
    private static final int BLOCK_BYTES = 34 * ROWS;

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_512;
    private static final VectorSpecies<Integer> I = IntVector.SPECIES_512;
    private static final VectorSpecies<Byte> B = ByteVector.SPECIES_128;

    private static final Class<? extends Vector<Integer>> INTS = I.vectorType();
    private static final Class<? extends Vector<Float>> FLOATS = F.vectorType();

    private InterleavedQ8_0() {}

    /**
     * Multiplies.
     *
     * @param rows the first group
     * @param apart bytes from there to the second group; 0 for one group only
     * @param elements how long a row is
     * @param column the floats of the column
     * @param to where the 32 results of the first group go
     * @param toApart bytes from there to those of the second
     */
    public static void multiply(long rows, long apart, int elements, long column, long to, long toApart) {
        FloatVector s0 = FloatVector.zero(F);
        FloatVector s1 = s0;
        FloatVector s2 = s0;
        FloatVector s3 = s0;
        long numbers = column;
        long end = rows + (long) elements / 32 * BLOCK_BYTES;
        for (long block = rows; block != end; block += BLOCK_BYTES) {
            FloatVector p0 = FloatVector.zero(F);
            FloatVector p1 = p0;
            FloatVector p2 = p0;
            FloatVector p3 = p0;
            long lastPlane = block + BLOCK_BYTES;
            for (long at = block + 2 * ROWS; at != lastPlane; at += 2 * ROWS) {
                long a = at & ADDRESS;
                long b = at + apart & ADDRESS;
                long x = numbers & ADDRESS;
                FloatVector x0 = FloatVector.broadcast(F, ALL.get(FLOAT, x));
                FloatVector x1 = FloatVector.broadcast(F, ALL.get(FLOAT, x + 4));
                p0 = ((FloatVector) FLOATS.cast(
                                ByteVector.fromMemorySegment(B, ALL, a, ORDER).convertShape(VectorOperators.B2F, F, 0)))
                        .fma(x0, p0);
                p1 = ((FloatVector) FLOATS.cast(ByteVector.fromMemorySegment(B, ALL, a + 16, ORDER)
                                .convertShape(VectorOperators.B2F, F, 0)))
                        .fma(x0, p1);
                p2 = ((FloatVector) FLOATS.cast(
                                ByteVector.fromMemorySegment(B, ALL, b, ORDER).convertShape(VectorOperators.B2F, F, 0)))
                        .fma(x0, p2);
                p3 = ((FloatVector) FLOATS.cast(ByteVector.fromMemorySegment(B, ALL, b + 16, ORDER)
                                .convertShape(VectorOperators.B2F, F, 0)))
                        .fma(x0, p3);
                p0 = ((FloatVector) FLOATS.cast(ByteVector.fromMemorySegment(B, ALL, a + ROWS, ORDER)
                                .convertShape(VectorOperators.B2F, F, 0)))
                        .fma(x1, p0);
                p1 = ((FloatVector) FLOATS.cast(ByteVector.fromMemorySegment(B, ALL, a + ROWS + 16, ORDER)
                                .convertShape(VectorOperators.B2F, F, 0)))
                        .fma(x1, p1);
                p2 = ((FloatVector) FLOATS.cast(ByteVector.fromMemorySegment(B, ALL, b + ROWS, ORDER)
                                .convertShape(VectorOperators.B2F, F, 0)))
                        .fma(x1, p2);
                p3 = ((FloatVector) FLOATS.cast(ByteVector.fromMemorySegment(B, ALL, b + ROWS + 16, ORDER)
                                .convertShape(VectorOperators.B2F, F, 0)))
                        .fma(x1, p3);
                numbers += 8;
            }
            long first = block & ADDRESS;
            long second = block + apart & ADDRESS;
            s0 = ((FloatVector) FLOATS.cast(((IntVector)
                                    INTS.cast(ByteVector.fromMemorySegment(B, ALL, first + ROWS, ORDER)
                                            .convertShape(VectorOperators.B2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, 21)
                            .and(PlaneKernels.HALF_BITS)
                            .or(((IntVector) INTS.cast(ByteVector.fromMemorySegment(B, ALL, first, ORDER)
                                            .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0)))
                                    .lanewise(VectorOperators.LSHL, 13))
                            .reinterpretAsFloats()))
                    .mul(PlaneKernels.HALF_SCALE)
                    .fma(p0, s0);
            s1 = ((FloatVector) FLOATS.cast(((IntVector)
                                    INTS.cast(ByteVector.fromMemorySegment(B, ALL, first + 16 + ROWS, ORDER)
                                            .convertShape(VectorOperators.B2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, 21)
                            .and(PlaneKernels.HALF_BITS)
                            .or(((IntVector) INTS.cast(ByteVector.fromMemorySegment(B, ALL, first + 16, ORDER)
                                            .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0)))
                                    .lanewise(VectorOperators.LSHL, 13))
                            .reinterpretAsFloats()))
                    .mul(PlaneKernels.HALF_SCALE)
                    .fma(p1, s1);
            s2 = ((FloatVector) FLOATS.cast(((IntVector)
                                    INTS.cast(ByteVector.fromMemorySegment(B, ALL, second + ROWS, ORDER)
                                            .convertShape(VectorOperators.B2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, 21)
                            .and(PlaneKernels.HALF_BITS)
                            .or(((IntVector) INTS.cast(ByteVector.fromMemorySegment(B, ALL, second, ORDER)
                                            .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0)))
                                    .lanewise(VectorOperators.LSHL, 13))
                            .reinterpretAsFloats()))
                    .mul(PlaneKernels.HALF_SCALE)
                    .fma(p2, s2);
            s3 = ((FloatVector) FLOATS.cast(((IntVector)
                                    INTS.cast(ByteVector.fromMemorySegment(B, ALL, second + 16 + ROWS, ORDER)
                                            .convertShape(VectorOperators.B2I, I, 0)))
                            .lanewise(VectorOperators.LSHL, 21)
                            .and(PlaneKernels.HALF_BITS)
                            .or(((IntVector) INTS.cast(ByteVector.fromMemorySegment(B, ALL, second + 16, ORDER)
                                            .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0)))
                                    .lanewise(VectorOperators.LSHL, 13))
                            .reinterpretAsFloats()))
                    .mul(PlaneKernels.HALF_SCALE)
                    .fma(p3, s3);
        }
        ((FloatVector) FLOATS.cast(s0)).intoMemorySegment(ALL, to, ORDER);
        ((FloatVector) FLOATS.cast(s1)).intoMemorySegment(ALL, to + 64, ORDER);
        ((FloatVector) FLOATS.cast(s2)).intoMemorySegment(ALL, to + toApart, ORDER);
        ((FloatVector) FLOATS.cast(s3)).intoMemorySegment(ALL, to + toApart + 64, ORDER);
    }

    /**
     * Decodes a group's next elements for {@link FloatTileKernels}.
     *
     * @param rows the first plane of the first block
     * @param panel where the floats go: for each element the rows of a tile
     * @param stride bytes from element to element there
     */
    public static void panel(long rows, int blocks, long panel, long stride) {
        for (int half = 0; half < 2; half++) {
            for (int block = 0; block < blocks; block++) {
                long planes = rows + (long) block * BLOCK_BYTES + 16L * half;
                FloatVector scale = ((FloatVector) FLOATS.cast(((IntVector)
                                        INTS.cast(ByteVector.fromMemorySegment(B, ALL, planes + ROWS, ORDER)
                                                .convertShape(VectorOperators.B2I, I, 0)))
                                .lanewise(VectorOperators.LSHL, 21)
                                .and(PlaneKernels.HALF_BITS)
                                .or(((IntVector) INTS.cast(ByteVector.fromMemorySegment(B, ALL, planes, ORDER)
                                                .convertShape(VectorOperators.ZERO_EXTEND_B2I, I, 0)))
                                        .lanewise(VectorOperators.LSHL, 13))
                                .reinterpretAsFloats()))
                        .mul(PlaneKernels.HALF_SCALE);
                long target = panel + 32L * block * stride + 64L * half;
                for (int k = 0; k < 32; k++) {
                    ((FloatVector) FLOATS.cast(ByteVector.fromMemorySegment(B, ALL, planes + (2L + k) * ROWS, ORDER)
                                    .convertShape(VectorOperators.B2F, F, 0)))
                            .mul(scale)
                            .intoMemorySegment(ALL, target + k * stride, ORDER);
                }
            }
        }
    }
}
