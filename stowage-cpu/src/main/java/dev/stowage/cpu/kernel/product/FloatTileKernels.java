package dev.stowage.cpu.kernel.product;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.FLOAT;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The inner loop of the product of two matrices of floats. A tile of the result stays in registers while all of its rows
 * and columns go by once:
 *
 * <pre>
 *              b: depth x (4 vectors)       columns side by side, packed
 *               ┌─────┬─────┬─────┬─────┐
 *               │  k  │     │     │     │
 *   a: 6 rows   ├─────┼─────┼─────┼─────┤
 *   ┌─────k──┐  │     │     │     │     │   c += a[row][k] * b[k], row by row:
 *   │  one   │  │        24 sums        │   one number of a is spread over a vector,
 *   │ number │  │      in registers     │   and meets the four of b
 *   └────────┘  └─────┴─────┴─────┴─────┘
 * </pre>
 *
 * Six rows and four vectors are what 32 registers hold (24 sums, 4 of b, 1 of a); where there are 16, two vectors. The
 * code is written out because the compiler keeps sums in registers only if each is a variable of its own.
 */
public final class FloatTileKernels {

    /** Rows of a tile. */
    public static final int ROWS = 6;

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private static final Class<? extends Vector<Float>> FLOATS = F.vectorType();

    private static final long V = F.vectorByteSize();

    /** Columns in a vector. */
    public static final int LANES = F.length();

    /** Vectors of columns in the widest tile. */
    public static final int WIDEST = F.vectorBitSize() == 256 ? 2 : 4;

    private FloatTileKernels() {}

    /**
     * Adds the product of six rows and some columns to a tile of the result.
     *
     * @param vectors how many vectors of columns there are: 1, 2 or 4
     * @param a the first number of the first row
     * @param aStride bytes from row to row
     * @param b the packed columns: for each step in depth one number of each column
     * @param depth how many numbers of each row and column there are
     * @param c the tile: six rows of {@code vectors} vectors, one after the other
     */
    public static void tile(int vectors, long a, long aStride, long b, int depth, long c) {
        switch (vectors) {
            case 1 -> tile6x1(a, aStride, b, depth, c);
            case 2 -> tile6x2(a, aStride, b, depth, c);
            default -> tile6x4(a, aStride, b, depth, c);
        }
    }

    /** 6 rows times 4 vectors of columns. */
    private static void tile6x4(long a, long aStride, long b, int depth, long c) {
        long a1 = a + aStride;
        long a2 = a1 + aStride;
        long a3 = a2 + aStride;
        long a4 = a3 + aStride;
        long a5 = a4 + aStride;
        FloatVector c00 = FloatVector.fromMemorySegment(F, ALL, c, ORDER);
        FloatVector c01 = FloatVector.fromMemorySegment(F, ALL, c + V, ORDER);
        FloatVector c02 = FloatVector.fromMemorySegment(F, ALL, c + 2 * V, ORDER);
        FloatVector c03 = FloatVector.fromMemorySegment(F, ALL, c + 3 * V, ORDER);
        FloatVector c10 = FloatVector.fromMemorySegment(F, ALL, c + 4 * V, ORDER);
        FloatVector c11 = FloatVector.fromMemorySegment(F, ALL, c + 5 * V, ORDER);
        FloatVector c12 = FloatVector.fromMemorySegment(F, ALL, c + 6 * V, ORDER);
        FloatVector c13 = FloatVector.fromMemorySegment(F, ALL, c + 7 * V, ORDER);
        FloatVector c20 = FloatVector.fromMemorySegment(F, ALL, c + 8 * V, ORDER);
        FloatVector c21 = FloatVector.fromMemorySegment(F, ALL, c + 9 * V, ORDER);
        FloatVector c22 = FloatVector.fromMemorySegment(F, ALL, c + 10 * V, ORDER);
        FloatVector c23 = FloatVector.fromMemorySegment(F, ALL, c + 11 * V, ORDER);
        FloatVector c30 = FloatVector.fromMemorySegment(F, ALL, c + 12 * V, ORDER);
        FloatVector c31 = FloatVector.fromMemorySegment(F, ALL, c + 13 * V, ORDER);
        FloatVector c32 = FloatVector.fromMemorySegment(F, ALL, c + 14 * V, ORDER);
        FloatVector c33 = FloatVector.fromMemorySegment(F, ALL, c + 15 * V, ORDER);
        FloatVector c40 = FloatVector.fromMemorySegment(F, ALL, c + 16 * V, ORDER);
        FloatVector c41 = FloatVector.fromMemorySegment(F, ALL, c + 17 * V, ORDER);
        FloatVector c42 = FloatVector.fromMemorySegment(F, ALL, c + 18 * V, ORDER);
        FloatVector c43 = FloatVector.fromMemorySegment(F, ALL, c + 19 * V, ORDER);
        FloatVector c50 = FloatVector.fromMemorySegment(F, ALL, c + 20 * V, ORDER);
        FloatVector c51 = FloatVector.fromMemorySegment(F, ALL, c + 21 * V, ORDER);
        FloatVector c52 = FloatVector.fromMemorySegment(F, ALL, c + 22 * V, ORDER);
        FloatVector c53 = FloatVector.fromMemorySegment(F, ALL, c + 23 * V, ORDER);
        for (int k = 0; k < depth; k++) {
            long at = b + (long) k * 4 * V;
            long step = 4L * k;
            FloatVector b0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER);
            FloatVector b1 = FloatVector.fromMemorySegment(F, ALL, at + V, ORDER);
            FloatVector b2 = FloatVector.fromMemorySegment(F, ALL, at + 2 * V, ORDER);
            FloatVector b3 = FloatVector.fromMemorySegment(F, ALL, at + 3 * V, ORDER);
            FloatVector x = FloatVector.broadcast(F, ALL.get(FLOAT, a + step));
            c00 = b0.fma(x, c00);
            c01 = b1.fma(x, c01);
            c02 = b2.fma(x, c02);
            c03 = b3.fma(x, c03);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a1 + step));
            c10 = b0.fma(x, c10);
            c11 = b1.fma(x, c11);
            c12 = b2.fma(x, c12);
            c13 = b3.fma(x, c13);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a2 + step));
            c20 = b0.fma(x, c20);
            c21 = b1.fma(x, c21);
            c22 = b2.fma(x, c22);
            c23 = b3.fma(x, c23);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a3 + step));
            c30 = b0.fma(x, c30);
            c31 = b1.fma(x, c31);
            c32 = b2.fma(x, c32);
            c33 = b3.fma(x, c33);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a4 + step));
            c40 = b0.fma(x, c40);
            c41 = b1.fma(x, c41);
            c42 = b2.fma(x, c42);
            c43 = b3.fma(x, c43);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a5 + step));
            c50 = b0.fma(x, c50);
            c51 = b1.fma(x, c51);
            c52 = b2.fma(x, c52);
            c53 = b3.fma(x, c53);
        }
        ((FloatVector) FLOATS.cast(c00)).intoMemorySegment(ALL, c, ORDER);
        ((FloatVector) FLOATS.cast(c01)).intoMemorySegment(ALL, c + V, ORDER);
        ((FloatVector) FLOATS.cast(c02)).intoMemorySegment(ALL, c + 2 * V, ORDER);
        ((FloatVector) FLOATS.cast(c03)).intoMemorySegment(ALL, c + 3 * V, ORDER);
        ((FloatVector) FLOATS.cast(c10)).intoMemorySegment(ALL, c + 4 * V, ORDER);
        ((FloatVector) FLOATS.cast(c11)).intoMemorySegment(ALL, c + 5 * V, ORDER);
        ((FloatVector) FLOATS.cast(c12)).intoMemorySegment(ALL, c + 6 * V, ORDER);
        ((FloatVector) FLOATS.cast(c13)).intoMemorySegment(ALL, c + 7 * V, ORDER);
        ((FloatVector) FLOATS.cast(c20)).intoMemorySegment(ALL, c + 8 * V, ORDER);
        ((FloatVector) FLOATS.cast(c21)).intoMemorySegment(ALL, c + 9 * V, ORDER);
        ((FloatVector) FLOATS.cast(c22)).intoMemorySegment(ALL, c + 10 * V, ORDER);
        ((FloatVector) FLOATS.cast(c23)).intoMemorySegment(ALL, c + 11 * V, ORDER);
        ((FloatVector) FLOATS.cast(c30)).intoMemorySegment(ALL, c + 12 * V, ORDER);
        ((FloatVector) FLOATS.cast(c31)).intoMemorySegment(ALL, c + 13 * V, ORDER);
        ((FloatVector) FLOATS.cast(c32)).intoMemorySegment(ALL, c + 14 * V, ORDER);
        ((FloatVector) FLOATS.cast(c33)).intoMemorySegment(ALL, c + 15 * V, ORDER);
        ((FloatVector) FLOATS.cast(c40)).intoMemorySegment(ALL, c + 16 * V, ORDER);
        ((FloatVector) FLOATS.cast(c41)).intoMemorySegment(ALL, c + 17 * V, ORDER);
        ((FloatVector) FLOATS.cast(c42)).intoMemorySegment(ALL, c + 18 * V, ORDER);
        ((FloatVector) FLOATS.cast(c43)).intoMemorySegment(ALL, c + 19 * V, ORDER);
        ((FloatVector) FLOATS.cast(c50)).intoMemorySegment(ALL, c + 20 * V, ORDER);
        ((FloatVector) FLOATS.cast(c51)).intoMemorySegment(ALL, c + 21 * V, ORDER);
        ((FloatVector) FLOATS.cast(c52)).intoMemorySegment(ALL, c + 22 * V, ORDER);
        ((FloatVector) FLOATS.cast(c53)).intoMemorySegment(ALL, c + 23 * V, ORDER);
    }

    /** 6 rows times 2 vectors of columns. */
    private static void tile6x2(long a, long aStride, long b, int depth, long c) {
        long a1 = a + aStride;
        long a2 = a1 + aStride;
        long a3 = a2 + aStride;
        long a4 = a3 + aStride;
        long a5 = a4 + aStride;
        FloatVector c00 = FloatVector.fromMemorySegment(F, ALL, c, ORDER);
        FloatVector c01 = FloatVector.fromMemorySegment(F, ALL, c + V, ORDER);
        FloatVector c10 = FloatVector.fromMemorySegment(F, ALL, c + 2 * V, ORDER);
        FloatVector c11 = FloatVector.fromMemorySegment(F, ALL, c + 3 * V, ORDER);
        FloatVector c20 = FloatVector.fromMemorySegment(F, ALL, c + 4 * V, ORDER);
        FloatVector c21 = FloatVector.fromMemorySegment(F, ALL, c + 5 * V, ORDER);
        FloatVector c30 = FloatVector.fromMemorySegment(F, ALL, c + 6 * V, ORDER);
        FloatVector c31 = FloatVector.fromMemorySegment(F, ALL, c + 7 * V, ORDER);
        FloatVector c40 = FloatVector.fromMemorySegment(F, ALL, c + 8 * V, ORDER);
        FloatVector c41 = FloatVector.fromMemorySegment(F, ALL, c + 9 * V, ORDER);
        FloatVector c50 = FloatVector.fromMemorySegment(F, ALL, c + 10 * V, ORDER);
        FloatVector c51 = FloatVector.fromMemorySegment(F, ALL, c + 11 * V, ORDER);
        for (int k = 0; k < depth; k++) {
            long at = b + (long) k * 2 * V;
            long step = 4L * k;
            FloatVector b0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER);
            FloatVector b1 = FloatVector.fromMemorySegment(F, ALL, at + V, ORDER);
            FloatVector x = FloatVector.broadcast(F, ALL.get(FLOAT, a + step));
            c00 = b0.fma(x, c00);
            c01 = b1.fma(x, c01);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a1 + step));
            c10 = b0.fma(x, c10);
            c11 = b1.fma(x, c11);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a2 + step));
            c20 = b0.fma(x, c20);
            c21 = b1.fma(x, c21);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a3 + step));
            c30 = b0.fma(x, c30);
            c31 = b1.fma(x, c31);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a4 + step));
            c40 = b0.fma(x, c40);
            c41 = b1.fma(x, c41);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a5 + step));
            c50 = b0.fma(x, c50);
            c51 = b1.fma(x, c51);
        }
        ((FloatVector) FLOATS.cast(c00)).intoMemorySegment(ALL, c, ORDER);
        ((FloatVector) FLOATS.cast(c01)).intoMemorySegment(ALL, c + V, ORDER);
        ((FloatVector) FLOATS.cast(c10)).intoMemorySegment(ALL, c + 2 * V, ORDER);
        ((FloatVector) FLOATS.cast(c11)).intoMemorySegment(ALL, c + 3 * V, ORDER);
        ((FloatVector) FLOATS.cast(c20)).intoMemorySegment(ALL, c + 4 * V, ORDER);
        ((FloatVector) FLOATS.cast(c21)).intoMemorySegment(ALL, c + 5 * V, ORDER);
        ((FloatVector) FLOATS.cast(c30)).intoMemorySegment(ALL, c + 6 * V, ORDER);
        ((FloatVector) FLOATS.cast(c31)).intoMemorySegment(ALL, c + 7 * V, ORDER);
        ((FloatVector) FLOATS.cast(c40)).intoMemorySegment(ALL, c + 8 * V, ORDER);
        ((FloatVector) FLOATS.cast(c41)).intoMemorySegment(ALL, c + 9 * V, ORDER);
        ((FloatVector) FLOATS.cast(c50)).intoMemorySegment(ALL, c + 10 * V, ORDER);
        ((FloatVector) FLOATS.cast(c51)).intoMemorySegment(ALL, c + 11 * V, ORDER);
    }

    /** 6 rows times 1 vector of columns. */
    private static void tile6x1(long a, long aStride, long b, int depth, long c) {
        long a1 = a + aStride;
        long a2 = a1 + aStride;
        long a3 = a2 + aStride;
        long a4 = a3 + aStride;
        long a5 = a4 + aStride;
        FloatVector c00 = FloatVector.fromMemorySegment(F, ALL, c, ORDER);
        FloatVector c10 = FloatVector.fromMemorySegment(F, ALL, c + V, ORDER);
        FloatVector c20 = FloatVector.fromMemorySegment(F, ALL, c + 2 * V, ORDER);
        FloatVector c30 = FloatVector.fromMemorySegment(F, ALL, c + 3 * V, ORDER);
        FloatVector c40 = FloatVector.fromMemorySegment(F, ALL, c + 4 * V, ORDER);
        FloatVector c50 = FloatVector.fromMemorySegment(F, ALL, c + 5 * V, ORDER);
        for (int k = 0; k < depth; k++) {
            long at = b + (long) k * V;
            long step = 4L * k;
            FloatVector b0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER);
            FloatVector x = FloatVector.broadcast(F, ALL.get(FLOAT, a + step));
            c00 = b0.fma(x, c00);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a1 + step));
            c10 = b0.fma(x, c10);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a2 + step));
            c20 = b0.fma(x, c20);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a3 + step));
            c30 = b0.fma(x, c30);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a4 + step));
            c40 = b0.fma(x, c40);
            x = FloatVector.broadcast(F, ALL.get(FLOAT, a5 + step));
            c50 = b0.fma(x, c50);
        }
        ((FloatVector) FLOATS.cast(c00)).intoMemorySegment(ALL, c, ORDER);
        ((FloatVector) FLOATS.cast(c10)).intoMemorySegment(ALL, c + V, ORDER);
        ((FloatVector) FLOATS.cast(c20)).intoMemorySegment(ALL, c + 2 * V, ORDER);
        ((FloatVector) FLOATS.cast(c30)).intoMemorySegment(ALL, c + 3 * V, ORDER);
        ((FloatVector) FLOATS.cast(c40)).intoMemorySegment(ALL, c + 4 * V, ORDER);
        ((FloatVector) FLOATS.cast(c50)).intoMemorySegment(ALL, c + 5 * V, ORDER);
    }
}
