package dev.stowage.cuda.op;

import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;

/**
 * How rows are shared out to blocks: a warp for a short row and several rows in a block, or a block for a long row.
 * Kernels find their row by {@code blockIdx.x * blockDim.y + threadIdx.y}.
 *
 * @param threads per row, a multiple of 32
 * @param rowsPerBlock more than 1 only where a row has 32 threads
 * @param blocks of the grid
 */
public record RowGrid(int threads, int rowsPerBlock, long blocks) {

    private static final int WARP = 32;
    private static final int WARPS_PER_BLOCK = 8;
    /** Up to so many steps for each lane a row has a warp of its own. */
    private static final int SHORT = 8;
    /** With so many steps for each thread a block is large enough if the other rows keep the GPU busy. */
    private static final int STEPS = 4;

    /**
     * The grid for rows of that many steps, a step being what a thread reads at once.
     *
     * @param most threads of a row, a multiple of 32
     */
    public static RowGrid of(long rows, long steps, int most, Gpu gpu) {
        if ((steps <= (long) SHORT * WARP && rows > gpu.multiprocessors()) || steps <= WARP) {
            int together = Math.clamp(rows, 1, WARPS_PER_BLOCK);
            return new RowGrid(WARP, together, Math.ceilDiv(rows, together));
        }
        // Few rows leave multiprocessors idle: then each row gets all threads it has work for.
        long wanted = rows > gpu.multiprocessors() ? Math.ceilDiv(steps, STEPS) : steps;
        int threads = Math.clamp(Math.ceilDiv(wanted, WARP) * WARP, 2 * WARP, most);
        return new RowGrid(threads, 1, rows);
    }

    /** The grid for rows of which every thread keeps at most that many steps: a warp for a row where that is enough. */
    public static RowGrid ofKept(long rows, long steps, int kept) {
        int threads = Math.toIntExact(Math.ceilDiv(Math.ceilDiv(steps, kept), WARP) * WARP);
        int together = threads == WARP ? Math.clamp(rows, 1, WARPS_PER_BLOCK) : 1;
        return new RowGrid(threads, together, Math.ceilDiv(rows, together));
    }

    /** Sets grid and block of a launch. */
    public Launch applyTo(Launch launch) {
        return launch.grid(blocks).block(threads, rowsPerBlock);
    }
}
