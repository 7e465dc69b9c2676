package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.kernel.copy.MoveKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.team.RangeTask;

/** The tasks that copy blocks as they are from one place to another. */
final class MoveTasks {

    /** What goes to a thread at once of a copy without gaps. */
    private static final long PIECE_BYTES = 1 << 15;

    private static final double NANOS_PER_BYTE = 0.05;

    private MoveTasks() {}

    /** Roughly what copying that many bytes takes. */
    static double nanos(long bytes) {
        return bytes * NANOS_PER_BYTE;
    }

    /** Adds what copies {@code from} to {@code to}, block by block in order; shapes may differ, the number of blocks not. */
    static void add(NodeBuilder node, StridedBlocks from, StridedBlocks to, boolean contiguous) {
        if (contiguous) {
            node.add(new Flat(from.address(), to.address(), to.rows() * to.rowBytes(), node.threads()));
        } else if (!from.isShapedLike(to)) {
            node.add(new InOrder(from, to, node.threads()));
        } else if (isTransposition(from, to)) {
            node.add(new Transposing(from, to, node.threads()));
        } else {
            node.add(new Rows(from, to, node.threads()));
        }
    }

    private static boolean isTransposition(StridedBlocks from, StridedBlocks to) {
        boolean movable = from.bytes() == 2 || from.bytes() == 4;
        return movable && to.hasDenseRows() && !from.hasDenseRows() && from.s1() == from.bytes() && to.d1() > 1;
    }

    /** Bytes that are contiguous on both sides. */
    private static final class Flat extends RangeTask {

        private final long from;
        private final long to;
        private final long bytes;

        Flat(long from, long to, long bytes, int threads) {
            super(Math.ceilDiv(bytes, PIECE_BYTES), nanos(PIECE_BYTES), threads);
            this.from = from;
            this.to = to;
            this.bytes = bytes;
        }

        @Override
        protected void run(long first, long last, int thread) {
            long begin = first * PIECE_BYTES;
            long end = Math.min(bytes, last * PIECE_BYTES);
            MoveKernels.move(from + begin, 1, to + begin, 1, end - begin, 1);
        }
    }

    /** Row by row. */
    private static final class Rows extends RangeTask {

        private final StridedBlocks from;
        private final StridedBlocks to;

        Rows(StridedBlocks from, StridedBlocks to, int threads) {
            super(to.rows(), nanos(to.rowBytes()) + 10, threads);
            this.from = from;
            this.to = to;
        }

        @Override
        protected void run(long first, long last, int thread) {
            for (long row = first; row < last; row++) {
                MoveKernels.move(from.row(row), from.s0(), to.row(row), to.s0(), to.d0(), to.bytes());
            }
        }
    }

    /** Matrices whose columns are adjacent elements, by as many rows of the result as a cache line serves. */
    private static final class Transposing extends RangeTask {

        private final StridedBlocks from;
        private final StridedBlocks to;
        private final long bands;

        Transposing(StridedBlocks from, StridedBlocks to, int threads) {
            this(from, to, Math.ceilDiv(to.d1(), MoveKernels.TILE), threads);
        }

        private Transposing(StridedBlocks from, StridedBlocks to, long bands, int threads) {
            super(bands * to.d2() * to.d3(), nanos(2 * to.rowBytes() * MoveKernels.TILE), threads);
            this.from = from;
            this.to = to;
            this.bands = bands;
        }

        @Override
        protected void run(long first, long last, int thread) {
            for (long item = first; item < last; item++) {
                long matrix = item / bands;
                long i3 = matrix / to.d2();
                long i2 = matrix - i3 * to.d2();
                long i1 = (item - matrix * bands) * MoveKernels.TILE;
                long rows = Math.min(MoveKernels.TILE, to.d1() - i1);
                long source = from.at(i1, i2, i3);
                long target = to.at(i1, i2, i3);
                if (to.bytes() == 4) {
                    MoveKernels.transposeInts(source, from.s0(), target, to.s1(), rows, to.d0());
                } else {
                    MoveKernels.transposeShorts(source, from.s0(), target, to.s1(), rows, to.d0());
                }
            }
        }
    }

    /** Between shapes that differ: what rows of either side have in common, one after the other. */
    private static final class InOrder extends RangeTask {

        private final StridedBlocks from;
        private final StridedBlocks to;

        InOrder(StridedBlocks from, StridedBlocks to, int threads) {
            super(to.rows(), nanos(to.rowBytes()) + 20, threads);
            this.from = from;
            this.to = to;
        }

        @Override
        protected void run(long first, long last, int thread) {
            for (long row = first; row < last; row++) {
                fill(to.row(row), row * to.d0());
            }
        }

        private void fill(long target, long number) {
            long done = 0;
            while (done < to.d0()) {
                long row = (number + done) / from.d0();
                long within = number + done - row * from.d0();
                long count = Math.min(from.d0() - within, to.d0() - done);
                long source = from.row(row) + within * from.s0();
                MoveKernels.move(source, from.s0(), target + done * to.s0(), to.s0(), count, to.bytes());
                done += count;
            }
        }
    }
}
