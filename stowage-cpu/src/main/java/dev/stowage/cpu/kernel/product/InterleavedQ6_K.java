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
 * Two groups of 32 {@linkplain dev.stowage.cpu.weights.Interleaving interleaved} rows of q6_K times a column. A block of
 * 256 elements is 2 planes of scales, 16 of factors, and two halves of 128 elements. A half has for each l below 32 a
 * plane with the lower four bits of elements l and l + 64, one with those of l + 32 and l + 96, and one with the upper two
 * bits of all four.
 *
 * <p>As {@link InterleavedQ4_0}; a weight less 32 times a number of the column is at most 32 * 127, so that 16-bit sums
 * hold eight of them.
 */
public final class InterleavedQ6_K {

    private static final int ROWS = 32;
    private static final int BLOCK_BYTES = 210 * ROWS;
    private static final int FACTORS = 2 * ROWS;
    private static final int WEIGHTS = 18 * ROWS;

    /** Bytes of a half of the weights: for each of 32 steps two planes of lower bits and one of upper bits. */
    private static final int HALF = 32 * 3 * ROWS;

    /** The bytes of memory that {@link #multiply} needs: a float per row and run of 16 elements. */
    public static final long WORKSPACE_BYTES = 16 * ROWS * 4;

    private static final VectorSpecies<Short> S = ShortVector.SPECIES_512;
    private static final VectorSpecies<Integer> I = IntVector.SPECIES_512;
    private static final VectorSpecies<Float> F = FloatVector.SPECIES_512;
    private static final VectorSpecies<Byte> B = ByteVector.SPECIES_256;

    private static final Class<? extends Vector<Short>> SHORTS = S.vectorType();
    private static final Class<? extends Vector<Integer>> INTS = I.vectorType();
    private static final Class<? extends Vector<Float>> FLOATS = F.vectorType();

    private static final int UPPER_BITS = 0xFFFF0000;

    private static final short LOW = 15;
    private static final short HIGH = 240;

    private InterleavedQ6_K() {}

    /**
     * Multiplies a group.
     *
     * @param rows the group
     * @param elements how long a row is
     * @param column a column as {@link IntegerColumns} has it, with its quarters
     * @param to where the 32 results go
     * @param workspace {@value #WORKSPACE_BYTES} bytes
     */
    public static void multiply(long rows, int elements, long column, long to, long workspace) {
        FloatVector.zero(F).intoMemorySegment(ALL, to, ORDER);
        FloatVector.zero(F).intoMemorySegment(ALL, to + 64, ORDER);
        long scales = IntegerColumns.scales(column, elements);
        long quarters = IntegerColumns.quarters(column, elements);
        for (int block = 0; block < elements / 256; block++) {
            long planes = rows + (long) block * BLOCK_BYTES;
            factors(planes, Int16TileKernels.UPPER_HALF, workspace);
            for (int half = 0; half < 2; half++) {
                long at = 256L * block + 128L * half;
                half(
                        planes + WEIGHTS + (long) HALF * half,
                        column + 4 * at,
                        scales + at / 8,
                        quarters + at / 2,
                        workspace + 8L * ROWS * 4 * half,
                        to);
            }
        }
    }

    /** The scale of every row for each run of 16 elements. */
    private static void factors(long planes, float unit, long to) {
        IntVector halves = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(((ShortVector)
                                SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, planes, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                        .or(((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, planes + ROWS, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                                .lanewise(VectorOperators.LSHL, 8))))
                .reinterpretAsInts()));
        FloatVector even = ((FloatVector) FLOATS.cast(halves.lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 3)
                        .and(PlaneKernels.HALF_BITS)
                        .reinterpretAsFloats()))
                .mul(PlaneKernels.HALF_SCALE * unit);
        FloatVector odd = ((FloatVector) FLOATS.cast(halves.lanewise(VectorOperators.ASHR, 3)
                        .and(PlaneKernels.HALF_BITS)
                        .reinterpretAsFloats()))
                .mul(PlaneKernels.HALF_SCALE * unit);
        for (int run = 0; run < 16; run++) {
            IntVector factor = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(((ShortVector) SHORTS.cast(
                            ByteVector.fromMemorySegment(B, ALL, planes + FACTORS + (long) run * ROWS, ORDER)
                                    .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))))
                    .reinterpretAsInts()));
            long there = to + (long) run * ROWS * 4;
            ((FloatVector) FLOATS.cast(factor.lanewise(VectorOperators.LSHL, 24)
                            .lanewise(VectorOperators.ASHR, 24)
                            .convert(VectorOperators.I2F, 0)))
                    .mul(even)
                    .intoMemorySegment(ALL, there, ORDER);
            ((FloatVector) FLOATS.cast(factor.lanewise(VectorOperators.LSHL, 8)
                            .lanewise(VectorOperators.ASHR, 24)
                            .convert(VectorOperators.I2F, 0)))
                    .mul(odd)
                    .intoMemorySegment(ALL, there + 64, ORDER);
        }
    }

    private static void half(long planes, long column, long scales, long quarters, long factors, long to) {
        FloatVector even = FloatVector.fromMemorySegment(F, ALL, to, ORDER);
        FloatVector odd = FloatVector.fromMemorySegment(F, ALL, to + 64, ORDER);
        long numbers = column;
        long quarter = quarters;
        float scale0 = ALL.get(FLOAT, scales);
        float scale1 = ALL.get(FLOAT, scales + 4);
        float scale2 = ALL.get(FLOAT, scales + 8);
        float scale3 = ALL.get(FLOAT, scales + 12);
        long end = planes + HALF;
        int eighth = 0;
        for (long run = planes; run != end; run += 24 * ROWS) {
            long q = quarter & ADDRESS;
            ShortVector s0 = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, q)))).reinterpretAsShorts();
            ShortVector s1 =
                    ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, q + 16)))).reinterpretAsShorts();
            ShortVector s2 =
                    ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, q + 32)))).reinterpretAsShorts();
            ShortVector s3 =
                    ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, q + 48)))).reinterpretAsShorts();
            long last = run + 24 * ROWS;
            for (long at = run; at != last; at += 3 * ROWS) {
                long plane = at & ADDRESS;
                long x = numbers & ADDRESS;
                ShortVector a = ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane, ORDER)
                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
                ShortVector b = ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane + ROWS, ORDER)
                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
                ShortVector h = ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane + 2 * ROWS, ORDER)
                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
                s0 = a.and((short) 15)
                        .or(h.and((short) 3).lanewise(VectorOperators.LSHL, 4))
                        .mul(((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, x)))).reinterpretAsShorts())
                        .add(s0);
                s1 = b.and((short) 15)
                        .or(h.and((short) 12).lanewise(VectorOperators.LSHL, 2))
                        .mul(((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, x + 128))))
                                .reinterpretAsShorts())
                        .add(s1);
                s2 = a.lanewise(VectorOperators.LSHR, 4)
                        .or(h.and((short) 48))
                        .mul(((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, x + 256))))
                                .reinterpretAsShorts())
                        .add(s2);
                s3 = b.lanewise(VectorOperators.LSHR, 4)
                        .or(h.lanewise(VectorOperators.LSHR, 2).and((short) 48))
                        .mul(((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, x + 384))))
                                .reinterpretAsShorts())
                        .add(s3);
                numbers += 4;
            }
            quarter += 4;
            long factor = factors + (eighth >> 1) * (4L * ROWS) & ADDRESS;
            eighth++;
            IntVector sums0 = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(s0)).reinterpretAsInts()));
            even = ((FloatVector)
                            FLOATS.cast(sums0.lanewise(VectorOperators.LSHL, 16).convert(VectorOperators.I2F, 0)))
                    .fma(FloatVector.fromMemorySegment(F, ALL, factor, ORDER).mul(scale0), even);
            odd = ((FloatVector) FLOATS.cast(sums0.and(UPPER_BITS).convert(VectorOperators.I2F, 0)))
                    .fma(
                            FloatVector.fromMemorySegment(F, ALL, factor + 64, ORDER)
                                    .mul(scale0),
                            odd);
            IntVector sums1 = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(s1)).reinterpretAsInts()));
            even = ((FloatVector)
                            FLOATS.cast(sums1.lanewise(VectorOperators.LSHL, 16).convert(VectorOperators.I2F, 0)))
                    .fma(
                            FloatVector.fromMemorySegment(F, ALL, factor + 2 * 4 * ROWS, ORDER)
                                    .mul(scale1),
                            even);
            odd = ((FloatVector) FLOATS.cast(sums1.and(UPPER_BITS).convert(VectorOperators.I2F, 0)))
                    .fma(
                            FloatVector.fromMemorySegment(F, ALL, factor + 2 * 4 * ROWS + 64, ORDER)
                                    .mul(scale1),
                            odd);
            IntVector sums2 = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(s2)).reinterpretAsInts()));
            even = ((FloatVector)
                            FLOATS.cast(sums2.lanewise(VectorOperators.LSHL, 16).convert(VectorOperators.I2F, 0)))
                    .fma(
                            FloatVector.fromMemorySegment(F, ALL, factor + 4 * 4 * ROWS, ORDER)
                                    .mul(scale2),
                            even);
            odd = ((FloatVector) FLOATS.cast(sums2.and(UPPER_BITS).convert(VectorOperators.I2F, 0)))
                    .fma(
                            FloatVector.fromMemorySegment(F, ALL, factor + 4 * 4 * ROWS + 64, ORDER)
                                    .mul(scale2),
                            odd);
            IntVector sums3 = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(s3)).reinterpretAsInts()));
            even = ((FloatVector)
                            FLOATS.cast(sums3.lanewise(VectorOperators.LSHL, 16).convert(VectorOperators.I2F, 0)))
                    .fma(
                            FloatVector.fromMemorySegment(F, ALL, factor + 6 * 4 * ROWS, ORDER)
                                    .mul(scale3),
                            even);
            odd = ((FloatVector) FLOATS.cast(sums3.and(UPPER_BITS).convert(VectorOperators.I2F, 0)))
                    .fma(
                            FloatVector.fromMemorySegment(F, ALL, factor + 6 * 4 * ROWS + 64, ORDER)
                                    .mul(scale3),
                            odd);
        }
        ((FloatVector) FLOATS.cast(even)).intoMemorySegment(ALL, to, ORDER);
        ((FloatVector) FLOATS.cast(odd)).intoMemorySegment(ALL, to + 64, ORDER);
    }

    /**
     * Decodes a group's next 256 elements for {@link FloatTileKernels}.
     *
     * @param planes the first plane of the block
     * @param panel where the floats go: for each element the rows of a tile
     * @param stride bytes from element to element there
     * @param workspace {@value #WORKSPACE_BYTES} bytes
     */
    public static void panel(long planes, long panel, long stride, long workspace) {
        factors(planes, Int16TileKernels.UPPER_HALF, workspace);
        for (int half = 0; half < 2; half++) {
            long first = planes + WEIGHTS + (long) HALF * half;
            long factor = workspace + 8L * half * (4L * ROWS);
            long to = panel + 128L * half * stride;
            layOut(first, 0, LOW, 0, (short) 3, 0, factor, to, stride);
            layOut(first, ROWS, LOW, 0, (short) 12, 2, factor + 2 * 4 * ROWS, to + 32 * stride, stride);
            layOut(first, 0, HIGH, 4, (short) 48, 4, factor + 4 * 4 * ROWS, to + 64 * stride, stride);
            layOut(first, ROWS, HIGH, 4, (short) 192, 6, factor + 6 * 4 * ROWS, to + 96 * stride, stride);
        }
    }

    /**
     * Decodes every fourth run of 32 elements of a half.
     *
     * @param lower where the plane with the lower bits is among the three of a step
     * @param lowerMask the bits of it that count, which are shifted right by {@code lowerShift}
     * @param upperMask the bits of the plane with the upper ones that count, which are shifted left by four and then right by
     *     {@code upperShift}
     */
    private static void layOut(
            long planes,
            long lower,
            short lowerMask,
            int lowerShift,
            short upperMask,
            int upperShift,
            long factors,
            long to,
            long stride) {
        for (int i = 0; i < 32; i++) {
            long plane = planes + i * (3L * ROWS);
            long factor = factors + i / 16 * (4L * ROWS);
            IntVector both = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(((ShortVector)
                                    SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane + lower, ORDER)
                                            .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                            .and(lowerMask)
                            .lanewise(VectorOperators.LSHR, lowerShift)
                            .or(((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane + 2 * ROWS, ORDER)
                                            .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                                    .and(upperMask)
                                    .lanewise(VectorOperators.LSHL, 4)
                                    .lanewise(VectorOperators.LSHR, upperShift))
                            .sub((short) 32)))
                    .reinterpretAsInts()));
            long there = to + i * stride;
            ((FloatVector) FLOATS.cast(both.lanewise(VectorOperators.LSHL, 16).convert(VectorOperators.I2F, 0)))
                    .mul(FloatVector.fromMemorySegment(F, ALL, factor, ORDER))
                    .intoMemorySegment(ALL, there, ORDER);
            ((FloatVector) FLOATS.cast(both.and(UPPER_BITS).convert(VectorOperators.I2F, 0)))
                    .mul(FloatVector.fromMemorySegment(F, ALL, factor + 64, ORDER))
                    .intoMemorySegment(ALL, there + 64, ORDER);
        }
    }
}
