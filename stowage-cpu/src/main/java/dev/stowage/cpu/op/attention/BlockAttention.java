package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.ParallelTask;

/**
 * Attention for many rows of queries: a piece is a {@link QueryBlock} and a range of cells. There is more than one range
 * only where blocks are few; what comes of them is put together by a second task, always in the same order, as how cells
 * are cut does not depend on the number of threads.
 */
final class BlockAttention {

    /** So many pieces keep the threads of most machines busy. */
    private static final int WANTED_PIECES = 32;

    /** Cells that are worth a piece of their own. */
    private static final int CELLS_WORTH_A_PIECE = 4 * QueryBlock.CELLS;

    private BlockAttention() {}

    static void addTo(NodeBuilder node, AttentionOperands attention) {
        QueryBlockSize size = QueryBlockSize.of(attention);
        int items = Math.toIntExact(attention.groups() * size.blocks());
        int ranges = Math.clamp(attention.cells / CELLS_WORTH_A_PIECE, 1, Math.ceilDiv(WANTED_PIECES, items));
        Scratch own = node.scratchPerThread(size.bytes());
        QueryBlock[] blocks = new QueryBlock[node.threads()];
        for (int thread = 0; thread < blocks.length; thread++) {
            blocks[thread] = new QueryBlock(attention, size, own, thread);
        }
        if (ranges == 1) {
            node.add(new Whole(blocks, items, attention.cells));
        } else {
            Scratch states = node.scratch((long) items * ranges * size.stateBytes());
            node.add(new Parts(blocks, items, ranges, attention.cells, states, size.stateBytes()));
            node.add(new Join(blocks, items, ranges, states, size.stateBytes()));
        }
    }

    /** Blocks that see all cells. */
    private static final class Whole extends ParallelTask {

        private final QueryBlock[] blocks;
        private final int cells;

        Whole(QueryBlock[] blocks, int items, int cells) {
            super(items);
            this.blocks = blocks;
            this.cells = cells;
        }

        @Override
        public void run(int piece, int thread) {
            QueryBlock block = blocks[thread];
            block.take(piece, block.ownState());
            block.begin();
            block.attend(0, cells);
            block.finish();
        }
    }

    /** Blocks that see a range of cells each. */
    private static final class Parts extends ParallelTask {

        private final QueryBlock[] blocks;
        private final int ranges;
        private final int cells;
        private final Scratch states;
        private final long stateBytes;

        Parts(QueryBlock[] blocks, int items, int ranges, int cells, Scratch states, long stateBytes) {
            super(items * ranges);
            this.blocks = blocks;
            this.ranges = ranges;
            this.cells = cells;
            this.states = states;
            this.stateBytes = stateBytes;
        }

        @Override
        public void run(int piece, int thread) {
            QueryBlock block = blocks[thread];
            block.take(piece / ranges, states.address() + piece * stateBytes);
            block.begin();
            block.attend(begin(piece % ranges), begin(piece % ranges + 1));
        }

        private int begin(int range) {
            return (int) ((long) cells * range / ranges);
        }
    }

    /** Puts together what comes of the ranges. */
    private static final class Join extends ParallelTask {

        private final QueryBlock[] blocks;
        private final int ranges;
        private final Scratch states;
        private final long stateBytes;

        Join(QueryBlock[] blocks, int items, int ranges, Scratch states, long stateBytes) {
            super(items);
            this.blocks = blocks;
            this.ranges = ranges;
            this.states = states;
            this.stateBytes = stateBytes;
        }

        @Override
        public void run(int piece, int thread) {
            QueryBlock block = blocks[thread];
            long state = states.address() + (long) piece * ranges * stateBytes;
            block.take(piece, state);
            for (int range = 1; range < ranges; range++) {
                block.join(state + range * stateBytes);
            }
            block.finish();
        }
    }
}
