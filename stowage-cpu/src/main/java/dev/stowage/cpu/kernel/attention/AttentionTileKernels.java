package dev.stowage.cpu.kernel.attention;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.FLOAT;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The inner loop of the mean of values. Lanes are rows of queries; columns of values are accumulated:
 *
 * <pre>
 *                       p: cells x (4 vectors)      weights of the rows
 *                        ┌─────┬─────┬─────┬─────┐
 *   v: cells x columns   │cell │     │     │     │
 *   ┌──────┬──────┐      ├─────┼─────┼─────┼─────┤
 *   │ cell │  six │ ...  │     │     │     │     │   o[column] += v[cell][column] * p[cell]
 *   └──────┴──────┘      └─────┴─────┴─────┴─────┘
 * </pre>
 *
 * It differs from {@link FloatTileKernels} in where the single numbers are: here they are neighbours.
 */
public final class AttentionTileKernels {

    /** Columns of values in a tile. */
    public static final int COLUMNS = 6;

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    /** The class of vectors that the compiler cannot infer by itself: those that come out of a loop. */
    private static final Class<? extends Vector<Float>> TYPE = F.vectorType();

    private static final long V = F.vectorByteSize();

    private AttentionTileKernels() {}

    /**
     * Adds to six columns of the mean.
     *
     * @param vectors how many vectors of rows there are: 1, 2 or 4
     * @param v the first of the six columns in the first row of values
     * @param vStride bytes from cell to cell
     * @param p the weights: for each cell one of each row
     * @param cells how many there are
     * @param o the tile: for each column {@code vectors} vectors, one after the other
     */
    public static void tile(int vectors, long v, long vStride, long p, int cells, long o) {
        switch (vectors) {
            case 1 -> tile6x1(v, vStride, p, cells, o);
            case 2 -> tile6x2(v, vStride, p, cells, o);
            default -> tile6x4(v, vStride, p, cells, o);
        }
    }

    /** 6 columns of values times 4 vectors of weights. */
    private static void tile6x4(long v, long vStride, long p, int cells, long o) {
        FloatVector c00 = FloatVector.fromMemorySegment(F, ALL, o, ORDER);
        FloatVector c01 = FloatVector.fromMemorySegment(F, ALL, o + V, ORDER);
        FloatVector c02 = FloatVector.fromMemorySegment(F, ALL, o + 2 * V, ORDER);
        FloatVector c03 = FloatVector.fromMemorySegment(F, ALL, o + 3 * V, ORDER);
        FloatVector c10 = FloatVector.fromMemorySegment(F, ALL, o + 4 * V, ORDER);
        FloatVector c11 = FloatVector.fromMemorySegment(F, ALL, o + 5 * V, ORDER);
        FloatVector c12 = FloatVector.fromMemorySegment(F, ALL, o + 6 * V, ORDER);
        FloatVector c13 = FloatVector.fromMemorySegment(F, ALL, o + 7 * V, ORDER);
        FloatVector c20 = FloatVector.fromMemorySegment(F, ALL, o + 8 * V, ORDER);
        FloatVector c21 = FloatVector.fromMemorySegment(F, ALL, o + 9 * V, ORDER);
        FloatVector c22 = FloatVector.fromMemorySegment(F, ALL, o + 10 * V, ORDER);
        FloatVector c23 = FloatVector.fromMemorySegment(F, ALL, o + 11 * V, ORDER);
        FloatVector c30 = FloatVector.fromMemorySegment(F, ALL, o + 12 * V, ORDER);
        FloatVector c31 = FloatVector.fromMemorySegment(F, ALL, o + 13 * V, ORDER);
        FloatVector c32 = FloatVector.fromMemorySegment(F, ALL, o + 14 * V, ORDER);
        FloatVector c33 = FloatVector.fromMemorySegment(F, ALL, o + 15 * V, ORDER);
        FloatVector c40 = FloatVector.fromMemorySegment(F, ALL, o + 16 * V, ORDER);
        FloatVector c41 = FloatVector.fromMemorySegment(F, ALL, o + 17 * V, ORDER);
        FloatVector c42 = FloatVector.fromMemorySegment(F, ALL, o + 18 * V, ORDER);
        FloatVector c43 = FloatVector.fromMemorySegment(F, ALL, o + 19 * V, ORDER);
        FloatVector c50 = FloatVector.fromMemorySegment(F, ALL, o + 20 * V, ORDER);
        FloatVector c51 = FloatVector.fromMemorySegment(F, ALL, o + 21 * V, ORDER);
        FloatVector c52 = FloatVector.fromMemorySegment(F, ALL, o + 22 * V, ORDER);
        FloatVector c53 = FloatVector.fromMemorySegment(F, ALL, o + 23 * V, ORDER);
        for (int cell = 0; cell < cells; cell++) {
            long at = p + (long) cell * 4 * V;
            long row = v + cell * vStride;
            FloatVector p0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER);
            FloatVector p1 = FloatVector.fromMemorySegment(F, ALL, at + V, ORDER);
            FloatVector p2 = FloatVector.fromMemorySegment(F, ALL, at + 2 * V, ORDER);
            FloatVector p3 = FloatVector.fromMemorySegment(F, ALL, at + 3 * V, ORDER);
            FloatVector x = FloatVector.broadcast(F, ALL.get(FLOAT, row));
            c00 = p0.fma(x, c00);
            c01 = p1.fma(x, c01);
            c02 = p2.fma(x, c02);
            c03 = p3.fma(x, c03);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 4));
            c10 = p0.fma(x, c10);
            c11 = p1.fma(x, c11);
            c12 = p2.fma(x, c12);
            c13 = p3.fma(x, c13);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 8));
            c20 = p0.fma(x, c20);
            c21 = p1.fma(x, c21);
            c22 = p2.fma(x, c22);
            c23 = p3.fma(x, c23);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 12));
            c30 = p0.fma(x, c30);
            c31 = p1.fma(x, c31);
            c32 = p2.fma(x, c32);
            c33 = p3.fma(x, c33);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 16));
            c40 = p0.fma(x, c40);
            c41 = p1.fma(x, c41);
            c42 = p2.fma(x, c42);
            c43 = p3.fma(x, c43);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 20));
            c50 = p0.fma(x, c50);
            c51 = p1.fma(x, c51);
            c52 = p2.fma(x, c52);
            c53 = p3.fma(x, c53);
        }
        ((FloatVector) TYPE.cast(c00)).intoMemorySegment(ALL, o, ORDER);
        ((FloatVector) TYPE.cast(c01)).intoMemorySegment(ALL, o + V, ORDER);
        ((FloatVector) TYPE.cast(c02)).intoMemorySegment(ALL, o + 2 * V, ORDER);
        ((FloatVector) TYPE.cast(c03)).intoMemorySegment(ALL, o + 3 * V, ORDER);
        ((FloatVector) TYPE.cast(c10)).intoMemorySegment(ALL, o + 4 * V, ORDER);
        ((FloatVector) TYPE.cast(c11)).intoMemorySegment(ALL, o + 5 * V, ORDER);
        ((FloatVector) TYPE.cast(c12)).intoMemorySegment(ALL, o + 6 * V, ORDER);
        ((FloatVector) TYPE.cast(c13)).intoMemorySegment(ALL, o + 7 * V, ORDER);
        ((FloatVector) TYPE.cast(c20)).intoMemorySegment(ALL, o + 8 * V, ORDER);
        ((FloatVector) TYPE.cast(c21)).intoMemorySegment(ALL, o + 9 * V, ORDER);
        ((FloatVector) TYPE.cast(c22)).intoMemorySegment(ALL, o + 10 * V, ORDER);
        ((FloatVector) TYPE.cast(c23)).intoMemorySegment(ALL, o + 11 * V, ORDER);
        ((FloatVector) TYPE.cast(c30)).intoMemorySegment(ALL, o + 12 * V, ORDER);
        ((FloatVector) TYPE.cast(c31)).intoMemorySegment(ALL, o + 13 * V, ORDER);
        ((FloatVector) TYPE.cast(c32)).intoMemorySegment(ALL, o + 14 * V, ORDER);
        ((FloatVector) TYPE.cast(c33)).intoMemorySegment(ALL, o + 15 * V, ORDER);
        ((FloatVector) TYPE.cast(c40)).intoMemorySegment(ALL, o + 16 * V, ORDER);
        ((FloatVector) TYPE.cast(c41)).intoMemorySegment(ALL, o + 17 * V, ORDER);
        ((FloatVector) TYPE.cast(c42)).intoMemorySegment(ALL, o + 18 * V, ORDER);
        ((FloatVector) TYPE.cast(c43)).intoMemorySegment(ALL, o + 19 * V, ORDER);
        ((FloatVector) TYPE.cast(c50)).intoMemorySegment(ALL, o + 20 * V, ORDER);
        ((FloatVector) TYPE.cast(c51)).intoMemorySegment(ALL, o + 21 * V, ORDER);
        ((FloatVector) TYPE.cast(c52)).intoMemorySegment(ALL, o + 22 * V, ORDER);
        ((FloatVector) TYPE.cast(c53)).intoMemorySegment(ALL, o + 23 * V, ORDER);
    }

    /** 6 columns of values times 2 vectors of weights. */
    private static void tile6x2(long v, long vStride, long p, int cells, long o) {
        FloatVector c00 = FloatVector.fromMemorySegment(F, ALL, o, ORDER);
        FloatVector c01 = FloatVector.fromMemorySegment(F, ALL, o + V, ORDER);
        FloatVector c10 = FloatVector.fromMemorySegment(F, ALL, o + 2 * V, ORDER);
        FloatVector c11 = FloatVector.fromMemorySegment(F, ALL, o + 3 * V, ORDER);
        FloatVector c20 = FloatVector.fromMemorySegment(F, ALL, o + 4 * V, ORDER);
        FloatVector c21 = FloatVector.fromMemorySegment(F, ALL, o + 5 * V, ORDER);
        FloatVector c30 = FloatVector.fromMemorySegment(F, ALL, o + 6 * V, ORDER);
        FloatVector c31 = FloatVector.fromMemorySegment(F, ALL, o + 7 * V, ORDER);
        FloatVector c40 = FloatVector.fromMemorySegment(F, ALL, o + 8 * V, ORDER);
        FloatVector c41 = FloatVector.fromMemorySegment(F, ALL, o + 9 * V, ORDER);
        FloatVector c50 = FloatVector.fromMemorySegment(F, ALL, o + 10 * V, ORDER);
        FloatVector c51 = FloatVector.fromMemorySegment(F, ALL, o + 11 * V, ORDER);
        for (int cell = 0; cell < cells; cell++) {
            long at = p + (long) cell * 2 * V;
            long row = v + cell * vStride;
            FloatVector p0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER);
            FloatVector p1 = FloatVector.fromMemorySegment(F, ALL, at + V, ORDER);
            FloatVector x = FloatVector.broadcast(F, ALL.get(FLOAT, row));
            c00 = p0.fma(x, c00);
            c01 = p1.fma(x, c01);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 4));
            c10 = p0.fma(x, c10);
            c11 = p1.fma(x, c11);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 8));
            c20 = p0.fma(x, c20);
            c21 = p1.fma(x, c21);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 12));
            c30 = p0.fma(x, c30);
            c31 = p1.fma(x, c31);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 16));
            c40 = p0.fma(x, c40);
            c41 = p1.fma(x, c41);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 20));
            c50 = p0.fma(x, c50);
            c51 = p1.fma(x, c51);
        }
        ((FloatVector) TYPE.cast(c00)).intoMemorySegment(ALL, o, ORDER);
        ((FloatVector) TYPE.cast(c01)).intoMemorySegment(ALL, o + V, ORDER);
        ((FloatVector) TYPE.cast(c10)).intoMemorySegment(ALL, o + 2 * V, ORDER);
        ((FloatVector) TYPE.cast(c11)).intoMemorySegment(ALL, o + 3 * V, ORDER);
        ((FloatVector) TYPE.cast(c20)).intoMemorySegment(ALL, o + 4 * V, ORDER);
        ((FloatVector) TYPE.cast(c21)).intoMemorySegment(ALL, o + 5 * V, ORDER);
        ((FloatVector) TYPE.cast(c30)).intoMemorySegment(ALL, o + 6 * V, ORDER);
        ((FloatVector) TYPE.cast(c31)).intoMemorySegment(ALL, o + 7 * V, ORDER);
        ((FloatVector) TYPE.cast(c40)).intoMemorySegment(ALL, o + 8 * V, ORDER);
        ((FloatVector) TYPE.cast(c41)).intoMemorySegment(ALL, o + 9 * V, ORDER);
        ((FloatVector) TYPE.cast(c50)).intoMemorySegment(ALL, o + 10 * V, ORDER);
        ((FloatVector) TYPE.cast(c51)).intoMemorySegment(ALL, o + 11 * V, ORDER);
    }

    /** 6 columns of values times 1 vector of weights. */
    private static void tile6x1(long v, long vStride, long p, int cells, long o) {
        FloatVector c00 = FloatVector.fromMemorySegment(F, ALL, o, ORDER);
        FloatVector c10 = FloatVector.fromMemorySegment(F, ALL, o + V, ORDER);
        FloatVector c20 = FloatVector.fromMemorySegment(F, ALL, o + 2 * V, ORDER);
        FloatVector c30 = FloatVector.fromMemorySegment(F, ALL, o + 3 * V, ORDER);
        FloatVector c40 = FloatVector.fromMemorySegment(F, ALL, o + 4 * V, ORDER);
        FloatVector c50 = FloatVector.fromMemorySegment(F, ALL, o + 5 * V, ORDER);
        for (int cell = 0; cell < cells; cell++) {
            long at = p + (long) cell * V;
            long row = v + cell * vStride;
            FloatVector p0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER);
            FloatVector x = FloatVector.broadcast(F, ALL.get(FLOAT, row));
            c00 = p0.fma(x, c00);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 4));
            c10 = p0.fma(x, c10);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 8));
            c20 = p0.fma(x, c20);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 12));
            c30 = p0.fma(x, c30);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 16));
            c40 = p0.fma(x, c40);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, row + 20));
            c50 = p0.fma(x, c50);
        }
        ((FloatVector) TYPE.cast(c00)).intoMemorySegment(ALL, o, ORDER);
        ((FloatVector) TYPE.cast(c10)).intoMemorySegment(ALL, o + V, ORDER);
        ((FloatVector) TYPE.cast(c20)).intoMemorySegment(ALL, o + 2 * V, ORDER);
        ((FloatVector) TYPE.cast(c30)).intoMemorySegment(ALL, o + 3 * V, ORDER);
        ((FloatVector) TYPE.cast(c40)).intoMemorySegment(ALL, o + 4 * V, ORDER);
        ((FloatVector) TYPE.cast(c50)).intoMemorySegment(ALL, o + 5 * V, ORDER);
    }

    /**
     * Adds to all columns of the mean, leaving out cells without weight: their values may be infinite or NaN.
     *
     * @param lanes how many rows there are
     */
    public static void sparse(int lanes, long v, long vStride, long p, int cells, long o, int columns) {
        for (int cell = 0; cell < cells; cell++) {
            for (int lane = 0; lane < lanes; lane++) {
                float weight = Memory.getFloat(p + ((long) cell * lanes + lane) * 4);
                if (weight != 0) {
                    for (int i = 0; i < columns; i++) {
                        long at = o + ((long) i * lanes + lane) * 4;
                        float value = Memory.getFloat(v + cell * vStride + i * 4L);
                        Memory.setFloat(at, Memory.getFloat(at) + weight * value);
                    }
                }
            }
        }
    }
}
