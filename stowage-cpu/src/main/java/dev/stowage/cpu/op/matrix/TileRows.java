package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.kernel.product.PackKernels;
import dev.stowage.cpu.machine.brain.BrainKernels;
import dev.stowage.cpu.machine.brain.BrainSupport;
import dev.stowage.cpu.op.operand.RowBlockDecoder;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.tensor.ElementType;
import java.util.Optional;

/**
 * What a {@link TileProduct} multiplies in tiles: rows of weights, a block of them and a part of their elements at a time, with
 * columns in panels. Elements are floats in both, which weights of any type are decoded to, or bf16 in both, where there is
 * {@linkplain BrainSupport machine code} for them.
 */
abstract class TileRows {

    /** How many elements of a row are multiplied at a time; a multiple of every block size. */
    static final int DEPTH = 256;

    /** Tiles of a block of rows. */
    private static final int TILES = 16;

    /** For the weights in slot 0. */
    static TileRows of(NodeBuilder node) {
        Operand weights = node.operand(0);
        if (weights.type == ElementType.BF16) {
            Optional<BrainKernels> kernels = BrainSupport.kernels(weights.d0);
            if (kernels.isPresent()) {
                return new Brains(weights, kernels.get());
            }
        }
        return new Decoded(node);
    }

    /** Columns in a vector of a panel. */
    abstract int lanes();

    /** Vectors of columns in the widest tile. */
    abstract int widest();

    /** Bytes of an element of a panel. */
    abstract int elementBytes();

    /** Rows of a tile. */
    abstract int tileRows();

    /** The most rows of a block. */
    final int blockRows() {
        return TILES * tileRows();
    }

    /** Packs columns side by side, as many as there are, and zeros for the others of a panel. */
    abstract void pack(long from, long stride, int columns, int width, int depth, long to);

    /**
     * Takes up a block of rows and a part of their elements.
     *
     * @param from the first element of the first row
     * @param steps how many elements: {@link #DEPTH}, or those that are left
     */
    abstract void load(long from, int rows, int steps, int thread);

    /**
     * Adds to sums the products of the rows that were loaded and a panel of columns.
     *
     * @param from the first element of the first row, as it was loaded
     * @param vectors how wide the panel is
     * @param sums for each row the columns, up to a whole number of tiles
     */
    abstract void multiply(long from, int rows, int vectors, long panel, int steps, long sums, int thread);

    /** Weights of any type, decoded to floats. */
    private static final class Decoded extends TileRows {

        private static final long STRIDE = (long) DEPTH * Float.BYTES;

        private final Operand weights;
        private final Scratch decoded;
        private final RowBlockDecoder whole;
        private final RowBlockDecoder rest;

        Decoded(NodeBuilder node) {
            this.weights = node.operand(0);
            this.decoded = node.scratchPerThread(blockRows() * STRIDE);
            this.whole = RowBlockDecoder.of(weights.type, DEPTH);
            this.rest = RowBlockDecoder.of(weights.type, weights.d0 % DEPTH);
        }

        @Override
        int lanes() {
            return FloatTileKernels.LANES;
        }

        @Override
        int widest() {
            return FloatTileKernels.WIDEST;
        }

        @Override
        int elementBytes() {
            return Float.BYTES;
        }

        @Override
        int tileRows() {
            return FloatTileKernels.ROWS;
        }

        @Override
        void pack(long from, long stride, int columns, int width, int depth, long to) {
            PackKernels.columns(from, stride, columns, width, depth, to);
        }

        @Override
        void load(long from, int rows, int steps, int thread) {
            long to = decoded.address(thread);
            RowBlockDecoder decoder = steps == DEPTH ? whole : rest;
            decoder.decode(from, weights.s1, to, STRIDE, rows, blockRows() * weights.s1);
            for (int row = rows; row < Math.ceilDiv(rows, tileRows()) * tileRows(); row++) {
                PanelKernels.zero(to + row * STRIDE, steps);
            }
        }

        @Override
        void multiply(long from, int rows, int vectors, long panel, int steps, long sums, int thread) {
            long sumBytes = (long) vectors * lanes() * Float.BYTES;
            for (int row = 0; row < rows; row += tileRows()) {
                FloatTileKernels.tile(
                        vectors, decoded.address(thread) + row * STRIDE, STRIDE, panel, steps, sums + row * sumBytes);
            }
        }
    }

    /** Weights of bf16, multiplied as they are stored with columns of the same. */
    private static final class Brains extends TileRows {

        private final Operand weights;
        private final BrainKernels kernels;

        Brains(Operand weights, BrainKernels kernels) {
            this.weights = weights;
            this.kernels = kernels;
        }

        @Override
        int lanes() {
            return BrainKernels.LANES;
        }

        @Override
        int widest() {
            return BrainKernels.WIDEST;
        }

        @Override
        int elementBytes() {
            return Short.BYTES;
        }

        @Override
        int tileRows() {
            return kernels.rows();
        }

        @Override
        void pack(long from, long stride, int columns, int width, int depth, long to) {
            PackKernels.brainPairs(from, stride, columns, width, depth, to);
        }

        @Override
        void load(long from, int rows, int steps, int thread) {
            // They are read where they are.
        }

        @Override
        void multiply(long from, int rows, int vectors, long panel, int steps, long sums, int thread) {
            long sumBytes = (long) vectors * lanes() * Float.BYTES;
            for (int row = 0; row < rows; row += tileRows()) {
                kernels.tile(Math.min(tileRows(), rows - row), vectors)
                        .multiply(
                                from + row * weights.s1,
                                weights.s1,
                                panel,
                                steps / BrainKernels.STEP,
                                sums + row * sumBytes);
            }
        }
    }
}
