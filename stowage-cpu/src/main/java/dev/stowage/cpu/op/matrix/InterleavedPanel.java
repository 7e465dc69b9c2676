package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.kernel.product.Int16TileKernels;
import dev.stowage.cpu.kernel.product.InterleavedQ4_0;
import dev.stowage.cpu.kernel.product.InterleavedQ4_K;
import dev.stowage.cpu.kernel.product.InterleavedQ6_K;
import dev.stowage.cpu.kernel.product.InterleavedQ8_0;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.tensor.ElementType;

/**
 * A tile of interleaved rows laid out for products with many columns, so many elements of each row at a time, in memory
 * that each thread has of its own. Weights of four bits are laid out as whole numbers, others as floats.
 */
abstract class InterleavedPanel {

    /** Rows that are interleaved with each other. */
    static final int GROUP = 32;

    /** Elements of a row that are laid out at a time. */
    static final int DEPTH = 256;

    /** Columns that are multiplied at a time. */
    static final int COLUMNS = FloatTileKernels.ROWS;

    /** The elements of a column that share a scale, where it is rounded. */
    static final int BLOCK = Int16TileKernels.BLOCK;

    final Operand weights;

    private InterleavedPanel(NodeBuilder node) {
        this.weights = node.operand(0);
    }

    /** For the weights in slot 0. */
    static InterleavedPanel of(NodeBuilder node) {
        return takesIntegers(node.operand(0).type) ? new Shorts(node) : new Floats(node);
    }

    /** Whether columns are multiplied as whole numbers, in which case they have scales and sums. */
    static boolean takesIntegers(ElementType type) {
        return type == ElementType.Q4_0 || type == ElementType.Q4_K;
    }

    /** How many rows a tile has. */
    abstract int rows();

    /**
     * Lays out a tile.
     *
     * @param planes the first plane of the first group
     * @param rows how many rows there are: whole groups
     * @param k the first element
     * @param steps how many elements
     */
    final void layOut(long planes, int rows, int k, int steps, int thread) {
        for (int group = 0; group * GROUP < rows; group++) {
            long from = planes + (long) group * GROUP * weights.s1 + weights.type.rowBytes(k) * GROUP;
            layOutGroup(from, group * GROUP, steps, thread);
        }
    }

    abstract void layOutGroup(long planes, int row, int steps, int thread);

    /**
     * Adds to the results the product of what is laid out and {@link #COLUMNS} columns.
     *
     * @param numbers the first number of the first column
     * @param scales the scales of its blocks, if it has any
     * @param sums the sums of its blocks, if it has any
     * @param stride bytes from each of these to that of the next column
     * @param to the results: for each column the rows
     */
    abstract void multiply(long numbers, long scales, long sums, long stride, int steps, long to, int thread);

    private static final class Floats extends InterleavedPanel {

        private static final int ROWS = FloatTileKernels.WIDEST * FloatTileKernels.LANES;
        private static final long STRIDE = (long) ROWS * Float.BYTES;

        private final Scratch panel;
        private final Scratch workspace;

        Floats(NodeBuilder node) {
            super(node);
            this.panel = node.scratchPerThread(DEPTH * STRIDE);
            this.workspace = node.scratchPerThread(InterleavedQ6_K.WORKSPACE_BYTES);
        }

        @Override
        int rows() {
            return ROWS;
        }

        @Override
        void layOutGroup(long planes, int row, int steps, int thread) {
            long to = panel.address(thread) + (long) row * Float.BYTES;
            if (weights.type == ElementType.Q8_0) {
                InterleavedQ8_0.panel(planes, steps / BLOCK, to, STRIDE);
            } else {
                InterleavedQ6_K.panel(planes, to, STRIDE, workspace.address(thread));
            }
        }

        @Override
        void multiply(long numbers, long scales, long sums, long stride, int steps, long to, int thread) {
            FloatTileKernels.tile(FloatTileKernels.WIDEST, numbers, stride, panel.address(thread), steps, to);
        }
    }

    private static final class Shorts extends InterleavedPanel {

        private static final int ROWS = Int16TileKernels.ROWS;
        private static final int BLOCKS = DEPTH / BLOCK;
        private static final long FACTORS = (long) BLOCKS * ROWS * Float.BYTES;

        private final Scratch panel;
        private final Scratch blockSums;
        private final Scratch factors;
        private final Scratch workspace;

        Shorts(NodeBuilder node) {
            super(node);
            this.panel = node.scratchPerThread((long) DEPTH * ROWS * Short.BYTES);
            this.blockSums = node.scratchPerThread(BLOCKS * Int16TileKernels.SUM_BYTES);
            this.factors = node.scratchPerThread(2 * FACTORS);
            this.workspace = node.scratchPerThread(InterleavedQ4_K.WORKSPACE_BYTES);
        }

        @Override
        int rows() {
            return ROWS;
        }

        @Override
        void layOutGroup(long planes, int row, int steps, int thread) {
            long to = panel.address(thread) + (long) row * Short.BYTES;
            long rowScales = factors.address(thread) + (long) row * Float.BYTES;
            if (weights.type == ElementType.Q4_0) {
                InterleavedQ4_0.panel(planes, steps / BLOCK, to, rowScales);
            } else {
                InterleavedQ4_K.panel(planes, to, rowScales, rowScales + FACTORS, workspace.address(thread));
            }
        }

        @Override
        void multiply(long numbers, long scales, long sums, long stride, int steps, long to, int thread) {
            long blockSum = blockSums.address(thread);
            int blocks = steps / BLOCK;
            for (int block = 0; block < blocks; block++) {
                Int16TileKernels.block(
                        panel.address(thread) + (long) block * BLOCK * ROWS * Short.BYTES,
                        numbers + (long) block * BLOCK * Integer.BYTES,
                        stride,
                        blockSum + block * Int16TileKernels.SUM_BYTES);
            }
            long rowScales = factors.address(thread);
            if (weights.type == ElementType.Q4_0) {
                Int16TileKernels.addScaled(blockSum, blocks, rowScales, scales, stride, to);
            } else {
                Int16TileKernels.addWithOffsets(
                        blockSum, blocks, rowScales, rowScales + FACTORS, scales, sums, stride, to);
            }
        }
    }
}
