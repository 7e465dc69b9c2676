package dev.stowage.cpu.kernel.product;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.FLOAT;
import static dev.stowage.cpu.kernel.Memory.INT;

/** Packs operands into panels that the microkernels of a matrix product read sequentially, and unpacks results. */
public final class PackKernels {

    private static final int BRAIN_BITS = 16;

    private PackKernels() {}

    /**
     * Packs columns side by side: for each step in depth the numbers of {@code width} columns, zeros where there are fewer.
     *
     * @param from the first number of the first column; a column's numbers are contiguous
     * @param stride bytes from column to column
     */
    public static void columns(long from, long stride, int columns, int width, int depth, long to) {
        for (int j = 0; j < width; j++) {
            long target = to + 4L * j;
            long step = 4L * width;
            if (j < columns) {
                long source = from + j * stride;
                for (int k = 0; k < depth; k++) {
                    ALL.set(FLOAT, target + k * step, ALL.get(FLOAT, source + 4L * k));
                }
            } else {
                for (int k = 0; k < depth; k++) {
                    ALL.set(FLOAT, target + k * step, 0f);
                }
            }
        }
    }

    /**
     * Packs columns that are rounded to bf16, two neighbours of each column side by side: for each pair of elements those of {@code
     * width} columns, zeros where there are fewer.
     *
     * @param from the first number of the first column; a column's numbers are contiguous floats
     * @param stride bytes from column to column
     * @param depth how many numbers a column has; an even number
     */
    public static void brainPairs(long from, long stride, int columns, int width, int depth, long to) {
        long step = 4L * width;
        for (int j = 0; j < width; j++) {
            long target = to + 4L * j;
            if (j < columns) {
                long source = from + j * stride;
                for (int pair = 0; pair < depth / 2; pair++) {
                    int low = ALL.get(INT, source + 8L * pair) >>> BRAIN_BITS;
                    int high = ALL.get(INT, source + 8L * pair + 4) & -1 << BRAIN_BITS;
                    ALL.set(INT, target + pair * step, low | high);
                }
            } else {
                for (int pair = 0; pair < depth / 2; pair++) {
                    ALL.set(INT, target + pair * step, 0);
                }
            }
        }
    }

    /**
     * Takes a panel of results apart, which has its columns side by side.
     *
     * @param to where the first row of the first column goes
     * @param stride bytes from column to column there
     */
    public static void results(long from, int width, int rows, int columns, long to, long stride) {
        long step = 4L * width;
        for (int j = 0; j < columns; j++) {
            long source = from + 4L * j;
            long target = to + j * stride;
            for (int i = 0; i < rows; i++) {
                ALL.set(FLOAT, target + 4L * i, ALL.get(FLOAT, source + i * step));
            }
        }
    }

    /** Collects floats that are {@code stride} bytes apart. */
    public static void gather(long from, long stride, int count, long to) {
        for (int i = 0; i < count; i++) {
            ALL.set(FLOAT, to + 4L * i, ALL.get(FLOAT, from + i * stride));
        }
    }

    /** Writes contiguous floats {@code stride} bytes apart. */
    public static void scatter(long from, int count, long to, long stride) {
        for (int i = 0; i < count; i++) {
            ALL.set(FLOAT, to + i * stride, ALL.get(FLOAT, from + 4L * i));
        }
    }
}
