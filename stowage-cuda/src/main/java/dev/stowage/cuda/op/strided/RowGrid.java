package dev.stowage.cuda.op.strided;

import dev.stowage.cuda.program.Launch;
import dev.stowage.tensor.Shape;

/**
 * The grid of the kernels that include {@code strided.cuh}: rows of a tensor along x, the elements of a row along y.
 *
 * <pre>
 *                     grid y · block x: elements of a row
 *                    ┌────────────────┬────────────────┬──
 *   grid x · block y │ 256 elements   │                │       long rows: 256 threads along the row
 *   rows             ├────────────────┼────────────────┼──
 *                    │                │                │       short rows: several rows in a block
 * </pre>
 *
 * <p>Threads loop, so that grids need not cover everything. All launches are dependent ones.
 */
public final class RowGrid {

    private static final int THREADS = 256;
    /** Kernels that take four elements at once have up to three left, for as many threads. */
    private static final int LEAST_COLUMNS = 4;

    private static final int WARP = 32;
    private static final long MOST_ROW_BLOCKS = 1 << 20;
    private static final long MOST_COLUMN_BLOCKS = 65_535;

    private RowGrid() {}

    /** A launch with a thread for each element. */
    public static Launch launch(String kernel, Shape shape) {
        return launch(kernel, shape.d0(), shape.rows(), LEAST_COLUMNS);
    }

    /** A launch with a thread for every four elements of a row. */
    public static Launch launchByFour(String kernel, Shape shape) {
        return launch(kernel, Math.ceilDiv(shape.d0(), 4), shape.rows(), LEAST_COLUMNS);
    }

    /** A launch with a thread for each element, in which no warp has elements of two rows. */
    public static Launch launchByWarp(String kernel, Shape shape) {
        return launch(kernel, shape.d0(), shape.rows(), WARP);
    }

    private static Launch launch(String kernel, long columns, long rows, int leastColumns) {
        int blockColumns = leastColumns;
        while (blockColumns < THREADS && blockColumns < columns) {
            blockColumns *= 2;
        }
        int blockRows = THREADS / blockColumns;
        long rowBlocks = Math.min(MOST_ROW_BLOCKS, Math.ceilDiv(rows, blockRows));
        long columnBlocks = Math.min(MOST_COLUMN_BLOCKS, Math.ceilDiv(columns, blockColumns));
        return Launch.of(kernel)
                .grid(rowBlocks, columnBlocks, 1)
                .block(blockColumns, blockRows)
                .dependent();
    }
}
