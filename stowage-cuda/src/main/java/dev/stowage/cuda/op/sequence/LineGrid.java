package dev.stowage.cuda.op.sequence;

import dev.stowage.cuda.program.Launch;

/**
 * How lines of states are shared out: a warp for each line, whose elements are in registers. There is a kernel for each
 * number of elements per lane, with the longest line as the ending of its name.
 */
final class LineGrid {

    /** The longest line there is a kernel for. */
    static final long LONGEST = 256;

    private static final int WARP = 32;
    private static final int LINES_PER_BLOCK = 4;

    private LineGrid() {}

    /** A launch of the kernel for lines of that length, with a warp for each line. */
    static Launch launch(String name, long length, long lines) {
        long longest = WARP;
        while (longest < length) {
            longest *= 2;
        }
        return blocks(Launch.of(name + "_" + longest), lines);
    }

    /** Sets grid and block so that there is a warp for each line. */
    static Launch blocks(Launch launch, long lines) {
        return launch.grid(Math.ceilDiv(lines, LINES_PER_BLOCK)).block(WARP, LINES_PER_BLOCK);
    }

    /** Whether a grid has enough blocks for so many lines. */
    static boolean hasBlocksFor(long lines) {
        return lines < (long) LINES_PER_BLOCK * Integer.MAX_VALUE;
    }
}
