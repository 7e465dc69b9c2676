package dev.stowage.cpu.kernel.product;

import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.FLOAT;
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
 * Two groups of 32 {@linkplain dev.stowage.cpu.weights.Interleaving interleaved} rows of q4_0 times a column: 2 planes of
 * scales, then 16 planes of two weights each, which are 16 elements apart.
 *
 * <p>Vectors go across the rows, so that no sum over lanes is ever needed and a number of the column is spread over a
 * vector once for 64 rows. Products and sums are 16-bit numbers, as {@link Int16TileKernels} explains.
 */
public final class InterleavedQ4_0 {

    private static final int ROWS = 32;
    private static final int BLOCK_BYTES = 18 * ROWS;

    private static final VectorSpecies<Short> S = ShortVector.SPECIES_512;
    private static final VectorSpecies<Integer> I = IntVector.SPECIES_512;
    private static final VectorSpecies<Float> F = FloatVector.SPECIES_512;
    private static final VectorSpecies<Byte> B = ByteVector.SPECIES_256;

    private static final Class<? extends Vector<Short>> SHORTS = S.vectorType();
    private static final Class<? extends Vector<Integer>> INTS = I.vectorType();
    private static final Class<? extends Vector<Float>> FLOATS = F.vectorType();

    private static final int UPPER_BITS = 0xFFFF0000;

    private InterleavedQ4_0() {}

    /**
     * Multiplies.
     *
     * @param rows the first group
     * @param apart bytes from there to the second group; 0 for one group only
     * @param elements how long a row is
     * @param column a column as {@link IntegerColumns} has it
     * @param to where the 32 results of the first group go
     * @param toApart bytes from there to those of the second
     */
    public static void multiply(long rows, long apart, int elements, long column, long to, long toApart) {
        FloatVector even0 = FloatVector.zero(F);
        FloatVector odd0 = even0;
        FloatVector even1 = even0;
        FloatVector odd1 = even0;
        long numbers = column;
        long scales = IntegerColumns.scales(column, elements);
        long eighths = IntegerColumns.eighths(column, elements);
        long end = rows + (long) elements / 32 * BLOCK_BYTES;
        for (long block = rows; block != end; block += BLOCK_BYTES) {
            ShortVector low0 = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, eighths & ADDRESS))))
                    .reinterpretAsShorts();
            ShortVector low1 = low0;
            ShortVector high0 = ShortVector.zero(S);
            ShortVector high1 = high0;
            long lastPlane = block + BLOCK_BYTES;
            for (long at = block + 2 * ROWS; at != lastPlane; at += 2 * ROWS) {
                long plane0 = at & ADDRESS;
                long plane1 = at + apart & ADDRESS;
                long x = numbers & ADDRESS;
                ShortVector x0 = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, x)))).reinterpretAsShorts();
                ShortVector y0 =
                        ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, x + 64)))).reinterpretAsShorts();
                ShortVector a0 = ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane0, ORDER)
                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
                ShortVector b0 = ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane1, ORDER)
                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
                low0 = a0.and((short) 15).mul(x0).add(low0);
                low1 = b0.and((short) 15).mul(x0).add(low1);
                high0 = a0.lanewise(VectorOperators.LSHR, 4).mul(y0).add(high0);
                high1 = b0.lanewise(VectorOperators.LSHR, 4).mul(y0).add(high1);
                ShortVector x1 =
                        ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, x + 4)))).reinterpretAsShorts();
                ShortVector y1 =
                        ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, x + 68)))).reinterpretAsShorts();
                ShortVector a1 = ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane0 + ROWS, ORDER)
                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
                ShortVector b1 = ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane1 + ROWS, ORDER)
                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
                low0 = a1.and((short) 15).mul(x1).add(low0);
                low1 = b1.and((short) 15).mul(x1).add(low1);
                high0 = a1.lanewise(VectorOperators.LSHR, 4).mul(y1).add(high0);
                high1 = b1.lanewise(VectorOperators.LSHR, 4).mul(y1).add(high1);
                numbers += 8;
            }
            numbers += 64;
            float scale = ALL.get(FLOAT, scales & ADDRESS) * Int16TileKernels.UPPER_HALF * PlaneKernels.HALF_SCALE;
            eighths += 4;
            scales += 4;
            IntVector sums0 = ((IntVector) INTS.cast(
                    ((ShortVector) SHORTS.cast(((ShortVector) SHORTS.cast(low0)).add(high0))).reinterpretAsInts()));
            long scalePlane0 = block & ADDRESS;
            IntVector halves0 = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(((ShortVector)
                                    SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, scalePlane0, ORDER)
                                            .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                            .or(((ShortVector)
                                            SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, scalePlane0 + ROWS, ORDER)
                                                    .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                                    .lanewise(VectorOperators.LSHL, 8))))
                    .reinterpretAsInts()));
            even0 = ((FloatVector)
                            FLOATS.cast(sums0.lanewise(VectorOperators.LSHL, 16).convert(VectorOperators.I2F, 0)))
                    .fma(
                            ((FloatVector) FLOATS.cast(halves0.lanewise(VectorOperators.LSHL, 16)
                                            .lanewise(VectorOperators.ASHR, 3)
                                            .and(PlaneKernels.HALF_BITS)
                                            .reinterpretAsFloats()))
                                    .mul(scale),
                            even0);
            odd0 = ((FloatVector) FLOATS.cast(sums0.and(UPPER_BITS).convert(VectorOperators.I2F, 0)))
                    .fma(
                            ((FloatVector) FLOATS.cast(halves0.lanewise(VectorOperators.ASHR, 3)
                                            .and(PlaneKernels.HALF_BITS)
                                            .reinterpretAsFloats()))
                                    .mul(scale),
                            odd0);
            IntVector sums1 = ((IntVector) INTS.cast(
                    ((ShortVector) SHORTS.cast(((ShortVector) SHORTS.cast(low1)).add(high1))).reinterpretAsInts()));
            long scalePlane1 = block + apart & ADDRESS;
            IntVector halves1 = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(((ShortVector)
                                    SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, scalePlane1, ORDER)
                                            .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                            .or(((ShortVector)
                                            SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, scalePlane1 + ROWS, ORDER)
                                                    .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                                    .lanewise(VectorOperators.LSHL, 8))))
                    .reinterpretAsInts()));
            even1 = ((FloatVector)
                            FLOATS.cast(sums1.lanewise(VectorOperators.LSHL, 16).convert(VectorOperators.I2F, 0)))
                    .fma(
                            ((FloatVector) FLOATS.cast(halves1.lanewise(VectorOperators.LSHL, 16)
                                            .lanewise(VectorOperators.ASHR, 3)
                                            .and(PlaneKernels.HALF_BITS)
                                            .reinterpretAsFloats()))
                                    .mul(scale),
                            even1);
            odd1 = ((FloatVector) FLOATS.cast(sums1.and(UPPER_BITS).convert(VectorOperators.I2F, 0)))
                    .fma(
                            ((FloatVector) FLOATS.cast(halves1.lanewise(VectorOperators.ASHR, 3)
                                            .and(PlaneKernels.HALF_BITS)
                                            .reinterpretAsFloats()))
                                    .mul(scale),
                            odd1);
        }
        ((FloatVector) FLOATS.cast(even0)).intoMemorySegment(ALL, to, ORDER);
        ((FloatVector) FLOATS.cast(odd0)).intoMemorySegment(ALL, to + 64, ORDER);
        ((FloatVector) FLOATS.cast(even1)).intoMemorySegment(ALL, to + toApart, ORDER);
        ((FloatVector) FLOATS.cast(odd1)).intoMemorySegment(ALL, to + toApart + 64, ORDER);
    }

    /**
     * Lays out a group's next 256 elements for {@link Int16TileKernels}.
     *
     * @param rows the first plane of the first block
     * @param panel where the weights go: for each element the rows of a tile
     * @param scales where the scales go: for each block those of the rows of a tile
     */
    public static void panel(long rows, int blocks, long panel, long scales) {
        long weights = panel;
        for (int block = 0; block < blocks; block++) {
            long planes = rows + (long) block * BLOCK_BYTES & ADDRESS;
            PlaneKernels.halves(planes, Int16TileKernels.UPPER_HALF, scales + block * (4L * Int16TileKernels.ROWS));
            for (int k = 0; k < 16; k++) {
                ShortVector both =
                        ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, planes + (2L + k) * ROWS, ORDER)
                                .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
                long target = weights + k * (2L * Int16TileKernels.ROWS);
                both.and((short) 15).sub((short) 8).intoMemorySegment(ALL, target, ORDER);
                both.lanewise(VectorOperators.LSHR, 4)
                        .sub((short) 8)
                        .intoMemorySegment(ALL, target + 16 * (2L * Int16TileKernels.ROWS), ORDER);
            }
            weights += 32 * (2L * Int16TileKernels.ROWS);
        }
    }
}
