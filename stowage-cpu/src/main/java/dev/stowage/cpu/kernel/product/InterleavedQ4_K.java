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
 * Two groups of 32 {@linkplain dev.stowage.cpu.weights.Interleaving interleaved} rows of q4_K times a column. A block of
 * 256 elements is 2 planes of scales, 2 of steps down, 12 of packed factors for them, and 128 of two weights each: four
 * runs of 32 planes, whose lower halves are one sub-block of 32 elements and whose upper halves the next.
 *
 * <p>As {@link InterleavedQ4_0}, but the column has one scale for all 256 elements, so that the sums of the sub-blocks can
 * be multiplied with their factors and added up as whole numbers too.
 */
public final class InterleavedQ4_K {

    private static final int ROWS = 32;
    private static final int BLOCK_BYTES = 144 * ROWS;

    /** Bytes of the factors of a group: for each of 8 sub-blocks 32 scale factors and 32 factors of the step down. */
    private static final long GROUP = 8 * 2 * ROWS * 2;

    private static final long STEPS = 64;
    private static final long SUB_BLOCK = 128;

    /** The bytes of memory that is needed beside the operands. */
    public static final long WORKSPACE_BYTES = 2 * GROUP + 8 * 64;

    /** What of that holds the sums of a block of two groups. */
    private static final long SUM_BYTES = 8 * 64;

    private static final VectorSpecies<Short> S = ShortVector.SPECIES_512;
    private static final VectorSpecies<Integer> I = IntVector.SPECIES_512;
    private static final VectorSpecies<Float> F = FloatVector.SPECIES_512;
    private static final VectorSpecies<Byte> B = ByteVector.SPECIES_256;

    private static final Class<? extends Vector<Float>> FLOATS = F.vectorType();

    private static final Class<? extends Vector<Short>> SHORTS = S.vectorType();
    private static final Class<? extends Vector<Integer>> INTS = I.vectorType();

    private static final int LOWER_BITS = 0xFFFF;

    private InterleavedQ4_K() {}

    /**
     * Multiplies.
     *
     * @param rows the first group
     * @param apart bytes from there to the second group; 0 for one group only
     * @param elements how long a row is
     * @param column a column as {@link IntegerColumns} has it, with one scale for 256 elements
     * @param to where the 32 results of the first group go
     * @param toApart bytes from there to those of the second
     * @param workspace {@value #WORKSPACE_BYTES} bytes
     */
    public static void multiply(
            long rows, long apart, int elements, long column, long to, long toApart, long workspace) {
        FloatVector zero = FloatVector.zero(F);
        zero.intoMemorySegment(ALL, to, ORDER);
        zero.intoMemorySegment(ALL, to + 64, ORDER);
        zero.intoMemorySegment(ALL, to + toApart, ORDER);
        zero.intoMemorySegment(ALL, to + toApart + 64, ORDER);
        long scales = IntegerColumns.scales(column, elements);
        long eighths = IntegerColumns.eighths(column, elements);
        for (int block = 0; block < elements / 256; block++) {
            long planes = rows + (long) block * BLOCK_BYTES;
            factors(planes, workspace);
            factors(planes + apart, workspace + GROUP);
            block(
                    planes,
                    apart,
                    column + 1024L * block,
                    ALL.get(FLOAT, scales + 32L * block),
                    eighths + 32L * block,
                    workspace,
                    to,
                    toApart);
        }
    }

    /** Unpacks the factors of a block: for each sub-block those of the scale, then those of the step down. */
    private static void factors(long planes, long to) {
        long end = planes + 8 * ROWS;
        long target = to;
        for (long at = planes + 4 * ROWS; at != end; at += ROWS) {
            long plane = at & ADDRESS;
            long there = target & ADDRESS;
            ShortVector a = ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane, ORDER)
                    .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
            ShortVector b = ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane + 4 * ROWS, ORDER)
                    .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
            ShortVector c = ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, plane + 8 * ROWS, ORDER)
                    .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
            a.and((short) 63).intoMemorySegment(ALL, there, ORDER);
            b.and((short) 63).intoMemorySegment(ALL, there + STEPS, ORDER);
            c.and((short) 15)
                    .or(a.and((short) 0xC0).lanewise(VectorOperators.LSHR, 2))
                    .intoMemorySegment(ALL, there + 4 * SUB_BLOCK, ORDER);
            c.lanewise(VectorOperators.LSHR, 4)
                    .or(b.and((short) 0xC0).lanewise(VectorOperators.LSHR, 2))
                    .intoMemorySegment(ALL, there + 4 * SUB_BLOCK + STEPS, ORDER);
            target += SUB_BLOCK;
        }
    }

    private static void block(
            long planes, long apart, long column, float scale, long eighths, long factors, long to, long toApart) {
        IntVector even0 = IntVector.zero(I);
        IntVector odd0 = even0;
        IntVector even1 = even0;
        IntVector odd1 = even0;
        IntVector evenStep0 = even0;
        IntVector oddStep0 = even0;
        IntVector evenStep1 = even0;
        IntVector oddStep1 = even0;
        long numbers = column;
        long eighth = eighths;
        long factor = factors;
        long end = planes + BLOCK_BYTES;
        for (long run = planes + 16 * ROWS; run != end; run += 32 * ROWS) {
            ShortVector low0 = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, eighth & ADDRESS))))
                    .reinterpretAsShorts();
            ShortVector low1 = low0;
            ShortVector high0 = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, eighth + 4 & ADDRESS))))
                    .reinterpretAsShorts();
            ShortVector high1 = high0;
            long lastPlane = run + 32 * ROWS;
            for (long at = run; at != lastPlane; at += 2 * ROWS) {
                long plane0 = at & ADDRESS;
                long plane1 = at + apart & ADDRESS;
                long x = numbers & ADDRESS;
                ShortVector x0 = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, x)))).reinterpretAsShorts();
                ShortVector y0 =
                        ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, x + 128)))).reinterpretAsShorts();
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
                        ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, x + 132)))).reinterpretAsShorts();
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
            numbers += 128;
            long f = factor & ADDRESS;
            int lowEight = -(ALL.get(INT, eighth & ADDRESS) >> 16);
            IntVector low0Scale = IntVector.fromMemorySegment(I, ALL, f, ORDER);
            IntVector low0Step = IntVector.fromMemorySegment(I, ALL, f + STEPS, ORDER);
            IntVector low0Sums = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(low0)).reinterpretAsInts()));
            even0 = low0Sums.lanewise(VectorOperators.LSHL, 16)
                    .lanewise(VectorOperators.ASHR, 16)
                    .add(lowEight)
                    .mul(low0Scale.and(LOWER_BITS))
                    .add(even0);
            odd0 = low0Sums.lanewise(VectorOperators.ASHR, 16)
                    .add(lowEight)
                    .mul(low0Scale.lanewise(VectorOperators.LSHR, 16))
                    .add(odd0);
            evenStep0 = low0Step.and(LOWER_BITS).mul(lowEight).add(evenStep0);
            oddStep0 = low0Step.lanewise(VectorOperators.LSHR, 16).mul(lowEight).add(oddStep0);
            IntVector low1Scale = IntVector.fromMemorySegment(I, ALL, f + GROUP, ORDER);
            IntVector low1Step = IntVector.fromMemorySegment(I, ALL, f + GROUP + STEPS, ORDER);
            IntVector low1Sums = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(low1)).reinterpretAsInts()));
            even1 = low1Sums.lanewise(VectorOperators.LSHL, 16)
                    .lanewise(VectorOperators.ASHR, 16)
                    .add(lowEight)
                    .mul(low1Scale.and(LOWER_BITS))
                    .add(even1);
            odd1 = low1Sums.lanewise(VectorOperators.ASHR, 16)
                    .add(lowEight)
                    .mul(low1Scale.lanewise(VectorOperators.LSHR, 16))
                    .add(odd1);
            evenStep1 = low1Step.and(LOWER_BITS).mul(lowEight).add(evenStep1);
            oddStep1 = low1Step.lanewise(VectorOperators.LSHR, 16).mul(lowEight).add(oddStep1);
            int highEight = -(ALL.get(INT, eighth + 4 & ADDRESS) >> 16);
            IntVector high0Scale = IntVector.fromMemorySegment(I, ALL, f + SUB_BLOCK, ORDER);
            IntVector high0Step = IntVector.fromMemorySegment(I, ALL, f + SUB_BLOCK + STEPS, ORDER);
            IntVector high0Sums = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(high0)).reinterpretAsInts()));
            even0 = high0Sums
                    .lanewise(VectorOperators.LSHL, 16)
                    .lanewise(VectorOperators.ASHR, 16)
                    .add(highEight)
                    .mul(high0Scale.and(LOWER_BITS))
                    .add(even0);
            odd0 = high0Sums
                    .lanewise(VectorOperators.ASHR, 16)
                    .add(highEight)
                    .mul(high0Scale.lanewise(VectorOperators.LSHR, 16))
                    .add(odd0);
            evenStep0 = high0Step.and(LOWER_BITS).mul(highEight).add(evenStep0);
            oddStep0 =
                    high0Step.lanewise(VectorOperators.LSHR, 16).mul(highEight).add(oddStep0);
            IntVector high1Scale = IntVector.fromMemorySegment(I, ALL, f + GROUP + SUB_BLOCK, ORDER);
            IntVector high1Step = IntVector.fromMemorySegment(I, ALL, f + GROUP + SUB_BLOCK + STEPS, ORDER);
            IntVector high1Sums = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(high1)).reinterpretAsInts()));
            even1 = high1Sums
                    .lanewise(VectorOperators.LSHL, 16)
                    .lanewise(VectorOperators.ASHR, 16)
                    .add(highEight)
                    .mul(high1Scale.and(LOWER_BITS))
                    .add(even1);
            odd1 = high1Sums
                    .lanewise(VectorOperators.ASHR, 16)
                    .add(highEight)
                    .mul(high1Scale.lanewise(VectorOperators.LSHR, 16))
                    .add(odd1);
            evenStep1 = high1Step.and(LOWER_BITS).mul(highEight).add(evenStep1);
            oddStep1 =
                    high1Step.lanewise(VectorOperators.LSHR, 16).mul(highEight).add(oddStep1);
            factor += 2 * SUB_BLOCK;
            eighth += 8;
        }
        // Through memory: a method that takes vectors may not be inlined here, and would have them boxed.
        long sums = factors + WORKSPACE_BYTES - SUM_BYTES;
        ((IntVector) INTS.cast(even0)).intoMemorySegment(ALL, sums, ORDER);
        ((IntVector) INTS.cast(evenStep0)).intoMemorySegment(ALL, sums + 64, ORDER);
        ((IntVector) INTS.cast(odd0)).intoMemorySegment(ALL, sums + 128, ORDER);
        ((IntVector) INTS.cast(oddStep0)).intoMemorySegment(ALL, sums + 192, ORDER);
        ((IntVector) INTS.cast(even1)).intoMemorySegment(ALL, sums + 256, ORDER);
        ((IntVector) INTS.cast(evenStep1)).intoMemorySegment(ALL, sums + 320, ORDER);
        ((IntVector) INTS.cast(odd1)).intoMemorySegment(ALL, sums + 384, ORDER);
        ((IntVector) INTS.cast(oddStep1)).intoMemorySegment(ALL, sums + 448, ORDER);
        add(planes, scale, sums, to);
        if (apart != 0) {
            add(planes + apart, scale, sums + 4 * 64, to + toApart);
        }
    }

    /** Adds the sums of a block of a group; those of the steps down are eight times too large. */
    private static void add(long planes, float scale, long sums, long to) {
        long there = to & ADDRESS;
        long from = sums & ADDRESS;
        long scalePlane = planes & ADDRESS;
        long stepPlane = scalePlane + 2 * ROWS;
        IntVector scales = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(((ShortVector)
                                SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, scalePlane, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                        .or(((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, scalePlane + ROWS, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                                .lanewise(VectorOperators.LSHL, 8))))
                .reinterpretAsInts()));
        IntVector steps = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(((ShortVector)
                                SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, stepPlane, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                        .or(((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, stepPlane + ROWS, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                                .lanewise(VectorOperators.LSHL, 8))))
                .reinterpretAsInts()));
        float factor = scale * PlaneKernels.HALF_SCALE;
        float stepFactor = -factor / 8;
        FloatVector sum = ((FloatVector) FLOATS.cast(
                        IntVector.fromMemorySegment(I, ALL, from, ORDER).convert(VectorOperators.I2F, 0)))
                .fma(
                        ((FloatVector) FLOATS.cast(scales.lanewise(VectorOperators.LSHL, 16)
                                        .lanewise(VectorOperators.ASHR, 3)
                                        .and(PlaneKernels.HALF_BITS)
                                        .reinterpretAsFloats()))
                                .mul(factor),
                        FloatVector.fromMemorySegment(F, ALL, there, ORDER));
        ((FloatVector) FLOATS.cast(
                        IntVector.fromMemorySegment(I, ALL, from + 64, ORDER).convert(VectorOperators.I2F, 0)))
                .fma(
                        ((FloatVector) FLOATS.cast(steps.lanewise(VectorOperators.LSHL, 16)
                                        .lanewise(VectorOperators.ASHR, 3)
                                        .and(PlaneKernels.HALF_BITS)
                                        .reinterpretAsFloats()))
                                .mul(stepFactor),
                        sum)
                .intoMemorySegment(ALL, there, ORDER);
        sum = ((FloatVector) FLOATS.cast(
                        IntVector.fromMemorySegment(I, ALL, from + 128, ORDER).convert(VectorOperators.I2F, 0)))
                .fma(
                        ((FloatVector) FLOATS.cast(scales.lanewise(VectorOperators.ASHR, 3)
                                        .and(PlaneKernels.HALF_BITS)
                                        .reinterpretAsFloats()))
                                .mul(factor),
                        FloatVector.fromMemorySegment(F, ALL, there + 64, ORDER));
        ((FloatVector) FLOATS.cast(
                        IntVector.fromMemorySegment(I, ALL, from + 192, ORDER).convert(VectorOperators.I2F, 0)))
                .fma(
                        ((FloatVector) FLOATS.cast(steps.lanewise(VectorOperators.ASHR, 3)
                                        .and(PlaneKernels.HALF_BITS)
                                        .reinterpretAsFloats()))
                                .mul(stepFactor),
                        sum)
                .intoMemorySegment(ALL, there + 64, ORDER);
    }

    /**
     * Lays out a group's next 256 elements for {@link Int16TileKernels}.
     *
     * @param planes the first plane of the block
     * @param panel where the weights go: for each element the rows of a tile
     * @param scales where the scales go: for each sub-block those of the rows of a tile
     * @param offsets where goes what a unit of the column's sum adds, likewise: the weights are laid out less eight, so
     *     that is eight times the scale less the step down
     * @param workspace {@value #WORKSPACE_BYTES} bytes
     */
    public static void panel(long planes, long panel, long scales, long offsets, long workspace) {
        factors(planes, workspace);
        layOutScales(planes, scales, offsets, workspace);
        layOutWeights(planes + 16 * ROWS, panel);
    }

    private static void layOutScales(long planes, long scales, long offsets, long workspace) {
        IntVector scalePairs = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(((ShortVector)
                                SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, planes, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                        .or(((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, planes + ROWS, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                                .lanewise(VectorOperators.LSHL, 8))))
                .reinterpretAsInts()));
        long stepPlane = planes + 2 * ROWS;
        IntVector stepPairs = ((IntVector) INTS.cast(((ShortVector) SHORTS.cast(((ShortVector)
                                SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, stepPlane, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                        .or(((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, stepPlane + ROWS, ORDER)
                                        .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)))
                                .lanewise(VectorOperators.LSHL, 8))))
                .reinterpretAsInts()));
        FloatVector evenScale = ((FloatVector) FLOATS.cast(scalePairs
                        .lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 3)
                        .and(PlaneKernels.HALF_BITS)
                        .reinterpretAsFloats()))
                .mul(PlaneKernels.HALF_SCALE);
        FloatVector oddScale = ((FloatVector) FLOATS.cast(scalePairs
                        .lanewise(VectorOperators.ASHR, 3)
                        .and(PlaneKernels.HALF_BITS)
                        .reinterpretAsFloats()))
                .mul(PlaneKernels.HALF_SCALE);
        FloatVector evenStep = ((FloatVector) FLOATS.cast(stepPairs
                        .lanewise(VectorOperators.LSHL, 16)
                        .lanewise(VectorOperators.ASHR, 3)
                        .and(PlaneKernels.HALF_BITS)
                        .reinterpretAsFloats()))
                .mul(PlaneKernels.HALF_SCALE);
        FloatVector oddStep = ((FloatVector) FLOATS.cast(stepPairs
                        .lanewise(VectorOperators.ASHR, 3)
                        .and(PlaneKernels.HALF_BITS)
                        .reinterpretAsFloats()))
                .mul(PlaneKernels.HALF_SCALE);
        for (int j = 0; j < 8; j++) {
            long at = j * (4L * Int16TileKernels.ROWS);
            IntVector factors = IntVector.fromMemorySegment(I, ALL, workspace + j * SUB_BLOCK, ORDER);
            IntVector steps = IntVector.fromMemorySegment(I, ALL, workspace + j * SUB_BLOCK + STEPS, ORDER);
            FloatVector even =
                    ((FloatVector) FLOATS.cast(factors.and(LOWER_BITS).convert(VectorOperators.I2F, 0))).mul(evenScale);
            FloatVector odd = ((FloatVector) FLOATS.cast(
                            factors.lanewise(VectorOperators.LSHR, 16).convert(VectorOperators.I2F, 0)))
                    .mul(oddScale);
            even.mul(Int16TileKernels.UPPER_HALF).intoMemorySegment(ALL, scales + at, ORDER);
            odd.mul(Int16TileKernels.UPPER_HALF).intoMemorySegment(ALL, scales + at + 64, ORDER);
            even.mul(8f)
                    .sub(((FloatVector) FLOATS.cast(steps.and(LOWER_BITS).convert(VectorOperators.I2F, 0)))
                            .mul(evenStep))
                    .intoMemorySegment(ALL, offsets + at, ORDER);
            odd.mul(8f)
                    .sub(((FloatVector) FLOATS.cast(
                                    steps.lanewise(VectorOperators.LSHR, 16).convert(VectorOperators.I2F, 0)))
                            .mul(oddStep))
                    .intoMemorySegment(ALL, offsets + at + 64, ORDER);
        }
    }

    private static void layOutWeights(long planes, long panel) {
        for (int i = 0; i < 128; i++) {
            ShortVector both =
                    ((ShortVector) SHORTS.cast(ByteVector.fromMemorySegment(B, ALL, planes + (long) i * ROWS, ORDER)
                            .convertShape(VectorOperators.ZERO_EXTEND_B2S, S, 0)));
            long target = panel + (i / 32 * 64L + i % 32) * (2L * Int16TileKernels.ROWS);
            both.and((short) 15).sub((short) 8).intoMemorySegment(ALL, target, ORDER);
            both.lanewise(VectorOperators.LSHR, 4)
                    .sub((short) 8)
                    .intoMemorySegment(ALL, target + 32 * (2L * Int16TileKernels.ROWS), ORDER);
        }
    }
}
