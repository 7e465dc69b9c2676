package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.product.FloatTileKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;

/**
 * Products of matrices whose columns are put together only when they are needed, such as the elements under the kernel of
 * a convolution. A thread lays out a panel of columns, goes over the rows with it, and stores the sums:
 *
 * <pre>
 *                     panel: as many columns as a tile has
 *                    ┌──────┐
 *              depth │      │   packed, a part of the depth at a time
 *                    └──────┘
 *   rows  ┌────────┐ ┌──────┐
 *         │ floats │ │ sums │   stored once the depth is through
 *         └────────┘ └──────┘
 * </pre>
 */
public abstract class PanelProduct extends RangeTask {

    /** Columns in a panel. */
    public static final int WIDTH = FloatTileKernels.WIDEST * FloatTileKernels.LANES;

    /** How much of the depth is packed at a time: a panel stays in the cache next to the core. */
    private static final long DEPTH = 384;

    private static final int TILE = FloatTileKernels.ROWS;

    /** Fewer rows would not be worth a panel. */
    private static final long FEWEST_ROWS = 8L * TILE;

    private static final double NANOS_PER_PRODUCT = 0.02;

    private static final long FLOAT = Float.BYTES;

    /** How large the matrices are and how they are cut up. */
    public record Size(long batches, long rows, long columns, long depth, long rowsPerItem) {

        /** Cut into enough items for that many threads. */
        public static Size of(long batches, long rows, long columns, long depth, int threads) {
            long panels = batches * Math.ceilDiv(columns, WIDTH);
            long parts = Math.max(1, Math.min(rows / FEWEST_ROWS, Math.ceilDiv(4L * threads, panels)));
            long each = Math.ceilDiv(Math.ceilDiv(rows, parts), TILE) * TILE;
            return new Size(batches, rows, columns, depth, each);
        }

        long panels() {
            return Math.ceilDiv(columns, WIDTH);
        }

        long parts() {
            return Math.ceilDiv(rows, rowsPerItem);
        }

        private double nanosPerItem() {
            return rowsPerItem * WIDTH * depth * NANOS_PER_PRODUCT;
        }
    }

    private final Size size;
    private final Scratch scratch;

    public PanelProduct(NodeBuilder node, Size size) {
        super(size.batches() * size.panels() * size.parts(), size.nanosPerItem(), node.threads());
        this.size = size;
        this.scratch = node.scratchPerThread((DEPTH * (WIDTH + TILE) + size.rowsPerItem() * WIDTH) * FLOAT);
    }

    /** The first of the rows of a batch, which are contiguous floats. */
    protected abstract long rows(long batch);

    /**
     * Lays out a part of some columns: for each step in depth {@link #WIDTH} floats. Those after the last column are
     * to be zero.
     */
    protected abstract void pack(long batch, long column, int columns, long step, int steps, long panel);

    /** Takes one row of the result, of which {@code columns} floats count. */
    protected abstract void store(long batch, long row, long column, int columns, long sums, int thread);

    @Override
    protected final void run(long from, long to, int thread) {
        for (long item = from; item < to; item++) {
            long panel = item / size.parts();
            long firstRow = item % size.parts() * size.rowsPerItem();
            multiply(
                    panel / size.panels(),
                    firstRow,
                    Math.min(size.rows(), firstRow + size.rowsPerItem()),
                    panel % size.panels() * WIDTH,
                    thread);
        }
    }

    private void multiply(long batch, long firstRow, long endRow, long column, int thread) {
        long panel = scratch.address(thread);
        long edge = panel + DEPTH * WIDTH * FLOAT;
        long sums = edge + DEPTH * TILE * FLOAT;
        int columns = (int) Math.min(WIDTH, size.columns() - column);
        PanelKernels.zero(sums, Math.ceilDiv(endRow - firstRow, TILE) * TILE * WIDTH);
        for (long step = 0; step < size.depth(); step += DEPTH) {
            int steps = (int) Math.min(DEPTH, size.depth() - step);
            pack(batch, column, columns, step, steps, panel);
            for (long row = firstRow; row < endRow; row += TILE) {
                long a = rows(batch) + (row * size.depth() + step) * FLOAT;
                long stride = size.depth() * FLOAT;
                if (endRow - row < TILE) {
                    PanelKernels.fillUp(a, stride, (int) (endRow - row), TILE, steps, edge);
                    a = edge;
                    stride = steps * FLOAT;
                }
                long tile = sums + (row - firstRow) * WIDTH * FLOAT;
                FloatTileKernels.tile(FloatTileKernels.WIDEST, a, stride, panel, steps, tile);
            }
        }
        for (long row = firstRow; row < endRow; row++) {
            store(batch, row, column, columns, sums + (row - firstRow) * WIDTH * FLOAT, thread);
        }
    }
}
