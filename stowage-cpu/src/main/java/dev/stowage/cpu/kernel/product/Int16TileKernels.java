package dev.stowage.cpu.kernel.product;

import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.FLOAT;
import static dev.stowage.cpu.kernel.Memory.INT;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The inner loop of the product of weights of four bits and columns of eight, in 16-bit numbers. A block of 32 such
 * products adds up to at most 32 * 8 * 127 = 32512 either way, which is just within what 16 bits hold; so a block needs no
 * wider numbers, and a vector holds twice as many sums as one of floats.
 *
 * <p>Rows of weights are side by side in vectors, and the number of a column that they are multiplied with is broadcast. Once
 * a block is through, its sums are made floats, multiplied with the scales of row and column and added up.
 */
public final class Int16TileKernels {

    /** Elements that share a scale. */
    public static final int BLOCK = 32;

    /** Columns of a tile. */
    public static final int COLUMNS = 6;

    /** Vectors of rows in a tile. */
    public static final int TILE_VECTORS = 4;

    private static final VectorSpecies<Short> S = ShortVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Integer> I = IntVector.SPECIES_PREFERRED;
    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private static final Class<? extends Vector<Short>> SHORTS = S.vectorType();
    private static final Class<? extends Vector<Integer>> INTS = I.vectorType();
    private static final Class<? extends Vector<Float>> FLOATS = F.vectorType();

    private static final long V = S.vectorByteSize();

    /** Rows in a vector. */
    public static final int LANES = S.length();

    /** Rows of a tile. */
    public static final int ROWS = TILE_VECTORS * LANES;

    /** The bytes of a tile's sums of one block. */
    public static final long SUM_BYTES = COLUMNS * TILE_VECTORS * V;

    /**
     * What a sum is multiplied with on its way to a float: it is converted while it still stands in the upper half of an
     * int. Part of the scales of the rows.
     */
    public static final float UPPER_HALF = 0x1p-16f;

    private static final int UPPER_BITS = 0xFFFF0000;

    private Int16TileKernels() {}

    /**
     * The sums of one block.
     *
     * @param w for each of the 32 steps one weight of each row
     * @param x for each of the 32 steps the number of the first column, twice in an int
     * @param xStride bytes from column to column
     * @param to where the sums go: for each column the rows
     */
    public static void block(long w, long x, long xStride, long to) {
        ShortVector zero = ShortVector.zero(S);
        ShortVector c00 = zero;
        ShortVector c01 = zero;
        ShortVector c02 = zero;
        ShortVector c03 = zero;
        ShortVector c10 = zero;
        ShortVector c11 = zero;
        ShortVector c12 = zero;
        ShortVector c13 = zero;
        ShortVector c20 = zero;
        ShortVector c21 = zero;
        ShortVector c22 = zero;
        ShortVector c23 = zero;
        ShortVector c30 = zero;
        ShortVector c31 = zero;
        ShortVector c32 = zero;
        ShortVector c33 = zero;
        ShortVector c40 = zero;
        ShortVector c41 = zero;
        ShortVector c42 = zero;
        ShortVector c43 = zero;
        ShortVector c50 = zero;
        ShortVector c51 = zero;
        ShortVector c52 = zero;
        ShortVector c53 = zero;
        long end = w + BLOCK * TILE_VECTORS * V;
        long number = x;
        for (long at = w; at != end; at += TILE_VECTORS * V) {
            long rows = at & ADDRESS;
            ShortVector w0 = ShortVector.fromMemorySegment(S, ALL, rows, ORDER);
            ShortVector w1 = ShortVector.fromMemorySegment(S, ALL, rows + V, ORDER);
            ShortVector w2 = ShortVector.fromMemorySegment(S, ALL, rows + 2 * V, ORDER);
            ShortVector w3 = ShortVector.fromMemorySegment(S, ALL, rows + 3 * V, ORDER);
            ShortVector v = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, number & ADDRESS))))
                    .reinterpretAsShorts();
            c00 = w0.mul(v).add(c00);
            c01 = w1.mul(v).add(c01);
            c02 = w2.mul(v).add(c02);
            c03 = w3.mul(v).add(c03);
            v = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, number + xStride & ADDRESS))))
                    .reinterpretAsShorts();
            c10 = w0.mul(v).add(c10);
            c11 = w1.mul(v).add(c11);
            c12 = w2.mul(v).add(c12);
            c13 = w3.mul(v).add(c13);
            v = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, number + 2 * xStride & ADDRESS))))
                    .reinterpretAsShorts();
            c20 = w0.mul(v).add(c20);
            c21 = w1.mul(v).add(c21);
            c22 = w2.mul(v).add(c22);
            c23 = w3.mul(v).add(c23);
            v = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, number + 3 * xStride & ADDRESS))))
                    .reinterpretAsShorts();
            c30 = w0.mul(v).add(c30);
            c31 = w1.mul(v).add(c31);
            c32 = w2.mul(v).add(c32);
            c33 = w3.mul(v).add(c33);
            v = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, number + 4 * xStride & ADDRESS))))
                    .reinterpretAsShorts();
            c40 = w0.mul(v).add(c40);
            c41 = w1.mul(v).add(c41);
            c42 = w2.mul(v).add(c42);
            c43 = w3.mul(v).add(c43);
            v = ((IntVector) INTS.cast(IntVector.broadcast(I, ALL.get(INT, number + 5 * xStride & ADDRESS))))
                    .reinterpretAsShorts();
            c50 = w0.mul(v).add(c50);
            c51 = w1.mul(v).add(c51);
            c52 = w2.mul(v).add(c52);
            c53 = w3.mul(v).add(c53);
            number += 4;
        }
        ((ShortVector) SHORTS.cast(c00)).intoMemorySegment(ALL, to, ORDER);
        ((ShortVector) SHORTS.cast(c01)).intoMemorySegment(ALL, to + V, ORDER);
        ((ShortVector) SHORTS.cast(c02)).intoMemorySegment(ALL, to + 2 * V, ORDER);
        ((ShortVector) SHORTS.cast(c03)).intoMemorySegment(ALL, to + 3 * V, ORDER);
        ((ShortVector) SHORTS.cast(c10)).intoMemorySegment(ALL, to + 4 * V, ORDER);
        ((ShortVector) SHORTS.cast(c11)).intoMemorySegment(ALL, to + 5 * V, ORDER);
        ((ShortVector) SHORTS.cast(c12)).intoMemorySegment(ALL, to + 6 * V, ORDER);
        ((ShortVector) SHORTS.cast(c13)).intoMemorySegment(ALL, to + 7 * V, ORDER);
        ((ShortVector) SHORTS.cast(c20)).intoMemorySegment(ALL, to + 8 * V, ORDER);
        ((ShortVector) SHORTS.cast(c21)).intoMemorySegment(ALL, to + 9 * V, ORDER);
        ((ShortVector) SHORTS.cast(c22)).intoMemorySegment(ALL, to + 10 * V, ORDER);
        ((ShortVector) SHORTS.cast(c23)).intoMemorySegment(ALL, to + 11 * V, ORDER);
        ((ShortVector) SHORTS.cast(c30)).intoMemorySegment(ALL, to + 12 * V, ORDER);
        ((ShortVector) SHORTS.cast(c31)).intoMemorySegment(ALL, to + 13 * V, ORDER);
        ((ShortVector) SHORTS.cast(c32)).intoMemorySegment(ALL, to + 14 * V, ORDER);
        ((ShortVector) SHORTS.cast(c33)).intoMemorySegment(ALL, to + 15 * V, ORDER);
        ((ShortVector) SHORTS.cast(c40)).intoMemorySegment(ALL, to + 16 * V, ORDER);
        ((ShortVector) SHORTS.cast(c41)).intoMemorySegment(ALL, to + 17 * V, ORDER);
        ((ShortVector) SHORTS.cast(c42)).intoMemorySegment(ALL, to + 18 * V, ORDER);
        ((ShortVector) SHORTS.cast(c43)).intoMemorySegment(ALL, to + 19 * V, ORDER);
        ((ShortVector) SHORTS.cast(c50)).intoMemorySegment(ALL, to + 20 * V, ORDER);
        ((ShortVector) SHORTS.cast(c51)).intoMemorySegment(ALL, to + 21 * V, ORDER);
        ((ShortVector) SHORTS.cast(c52)).intoMemorySegment(ALL, to + 22 * V, ORDER);
        ((ShortVector) SHORTS.cast(c53)).intoMemorySegment(ALL, to + 23 * V, ORDER);
    }

    /**
     * Adds the sums of some blocks to results, each with its scales.
     *
     * @param sums the sums of the blocks, one block after the other
     * @param blocks how many there are
     * @param rowScales for each block the scales of the rows times {@link #UPPER_HALF}, those of even rows of a vector
     *     before those of odd ones
     * @param columnScales for each column the scale of the first block; the others follow
     * @param scaleStride bytes from the scales of a column to those of the next
     * @param to the results: for each column the rows, even ones of a vector before odd ones
     */
    public static void addScaled(long sums, int blocks, long rowScales, long columnScales, long scaleStride, long to) {
        for (int column = 0; column < COLUMNS; column++) {
            for (int v = 0; v < TILE_VECTORS; v++) {
                long target = to + (column * TILE_VECTORS + v) * 2L * V & ADDRESS;
                FloatVector even = FloatVector.fromMemorySegment(F, ALL, target, ORDER);
                FloatVector odd = FloatVector.fromMemorySegment(F, ALL, target + V, ORDER);
                long scale = rowScales + v * 2L * V;
                long columnScale = columnScales + column * scaleStride;
                long first = sums + (column * TILE_VECTORS + v) * V;
                long end = first + blocks * SUM_BYTES;
                for (long sum = first; sum != end; sum += SUM_BYTES) {
                    IntVector both = IntVector.fromMemorySegment(I, ALL, sum & ADDRESS, ORDER);
                    float factor = ALL.get(FLOAT, columnScale & ADDRESS);
                    long here = scale & ADDRESS;
                    even = FloatVector.fromMemorySegment(F, ALL, here, ORDER)
                            .mul(factor)
                            .fma(
                                    (FloatVector) both.lanewise(VectorOperators.LSHL, Short.SIZE)
                                            .convert(VectorOperators.I2F, 0),
                                    even);
                    odd = FloatVector.fromMemorySegment(F, ALL, here + V, ORDER)
                            .mul(factor)
                            .fma((FloatVector) both.and(UPPER_BITS).convert(VectorOperators.I2F, 0), odd);
                    scale += ROWS * 4L;
                    columnScale += 4;
                }
                ((FloatVector) FLOATS.cast(even)).intoMemorySegment(ALL, target, ORDER);
                ((FloatVector) FLOATS.cast(odd)).intoMemorySegment(ALL, target + V, ORDER);
            }
        }
    }

    /**
     * As {@link #addScaled}, where all blocks of a column have one scale; and adds what each unit of the columns' sums
     * adds to the rows.
     *
     * @param offsets for each block what a unit adds to the rows
     * @param columnSums for each column the sum of the first block; the others follow
     */
    public static void addWithOffsets(
            long sums,
            int blocks,
            long rowScales,
            long offsets,
            long columnScales,
            long columnSums,
            long columnStride,
            long to) {
        for (int column = 0; column < COLUMNS; column++) {
            float factor = ALL.get(FLOAT, columnScales + column * columnStride);
            for (int v = 0; v < TILE_VECTORS; v++) {
                long target = to + (column * TILE_VECTORS + v) * 2L * V & ADDRESS;
                FloatVector even = FloatVector.zero(F);
                FloatVector odd = even;
                FloatVector evenOffset = FloatVector.fromMemorySegment(F, ALL, target, ORDER);
                FloatVector oddOffset = FloatVector.fromMemorySegment(F, ALL, target + V, ORDER);
                long scale = rowScales + v * 2L * V;
                long offset = offsets + v * 2L * V;
                long columnSum = columnSums + column * columnStride;
                long first = sums + (column * TILE_VECTORS + v) * V;
                long end = first + blocks * SUM_BYTES;
                for (long sum = first; sum != end; sum += SUM_BYTES) {
                    IntVector both = IntVector.fromMemorySegment(I, ALL, sum & ADDRESS, ORDER);
                    FloatVector unit = FloatVector.broadcast(F, ALL.get(FLOAT, columnSum & ADDRESS));
                    long here = scale & ADDRESS;
                    long there = offset & ADDRESS;
                    even = FloatVector.fromMemorySegment(F, ALL, here, ORDER)
                            .fma(
                                    (FloatVector) both.lanewise(VectorOperators.LSHL, Short.SIZE)
                                            .convert(VectorOperators.I2F, 0),
                                    even);
                    odd = FloatVector.fromMemorySegment(F, ALL, here + V, ORDER)
                            .fma((FloatVector) both.and(UPPER_BITS).convert(VectorOperators.I2F, 0), odd);
                    evenOffset =
                            FloatVector.fromMemorySegment(F, ALL, there, ORDER).fma(unit, evenOffset);
                    oddOffset = FloatVector.fromMemorySegment(F, ALL, there + V, ORDER)
                            .fma(unit, oddOffset);
                    scale += ROWS * 4L;
                    offset += ROWS * 4L;
                    columnSum += 4;
                }
                FloatVector spread = FloatVector.broadcast(F, factor);
                ((FloatVector) FLOATS.cast(even)).fma(spread, evenOffset).intoMemorySegment(ALL, target, ORDER);
                ((FloatVector) FLOATS.cast(odd)).fma(spread, oddOffset).intoMemorySegment(ALL, target + V, ORDER);
            }
        }
    }
}
