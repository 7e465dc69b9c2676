package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.attention.AttentionRowKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.cpu.team.RangeTask;

/**
 * Attention for few rows of queries, such as those of the next token: a piece is a range of cells, which {@link SmallBatchRows}
 * works on for all heads. What comes of the ranges is put together by a second task, always in the same order, as how
 * cells are cut does not depend on the number of threads.
 */
final class SmallBatchAttention extends ParallelTask {

    /** Rows of a group up to which lanes are better filled with elements than with rows. */
    static final int MOST_ROWS = 12;

    private static final int MOST_RANGES = 32;

    /** Cells that are worth a piece of their own. */
    private static final int CELLS_WORTH_A_PIECE = 64;

    private final SmallBatchRows[] rows;
    private final Cut cut;
    private final Scratch states;

    private SmallBatchAttention(SmallBatchRows[] rows, Cut cut, Scratch states) {
        super(Math.toIntExact(cut.attention.q.d3 * cut.ranges));
        this.rows = rows;
        this.cut = cut;
        this.states = states;
    }

    /** How cells are shared out. */
    private record Cut(AttentionOperands attention, SmallBatchSize size, int ranges) {

        static Cut of(AttentionOperands attention) {
            int ranges = Math.clamp(attention.cells / CELLS_WORTH_A_PIECE, 1, MOST_RANGES);
            return new Cut(attention, SmallBatchSize.of(attention), ranges);
        }

        int begin(int range) {
            return (int) ((long) attention.cells * range / ranges);
        }

        long stateBytes() {
            return size.groups() * size.stateBytes();
        }
    }

    static void addTo(NodeBuilder node, AttentionOperands attention) {
        Cut cut = Cut.of(attention);
        Scratch own = node.scratchPerThread(cut.size.bytes());
        Scratch states = node.scratch(attention.q.d3 * cut.ranges * cut.stateBytes());
        SmallBatchRows[] rows = new SmallBatchRows[node.threads()];
        for (int thread = 0; thread < rows.length; thread++) {
            rows[thread] = new SmallBatchRows(attention, cut.size, own, thread);
        }
        node.add(new SmallBatchAttention(rows, cut, states));
        node.add(new Join(cut, states, node.threads()));
    }

    @Override
    public void run(int piece, int thread) {
        int range = piece % cut.ranges;
        long state = states.address() + piece * cut.stateBytes();
        rows[thread].attend(piece / cut.ranges, cut.begin(range), cut.begin(range + 1), state);
    }

    /** Puts together what comes of the ranges, row by row. */
    private static final class Join extends RangeTask {

        private static final double NANOS_PER_RANGE = 60;

        private final Cut cut;
        private final Scratch states;

        Join(Cut cut, Scratch states, int threads) {
            super(
                    cut.attention.groups() * cut.size.rows(),
                    cut.ranges * (NANOS_PER_RANGE + cut.size.valueBytes() / 16.0),
                    threads);
            this.cut = cut;
            this.states = states;
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long row = from; row < to; row++) {
                long group = row / cut.size.rows();
                join(group / cut.size.groups(), group % cut.size.groups(), row % cut.size.rows());
            }
        }

        private void join(long batch, long group, long row) {
            AttentionOperands attention = cut.attention;
            long states = this.states.address() + batch * cut.ranges * cut.stateBytes() + group * cut.size.stateBytes();
            long numbers = states + cut.size.padded() * cut.size.valueBytes() + row * 8;
            float max = Float.NEGATIVE_INFINITY;
            for (int range = 0; range < cut.ranges; range++) {
                max = Math.max(max, Memory.getFloat(numbers + range * cut.stateBytes()));
            }
            float sum = 0;
            for (int range = 0; range < cut.ranges; range++) {
                long own = numbers + range * cut.stateBytes();
                float weight = weight(Memory.getFloat(own), max);
                sum += weight * Memory.getFloat(own + 4);
                Memory.setFloat(own, weight);
            }
            long head = group * attention.shared + row % attention.shared;
            long to = attention.mean(row / attention.shared, head, batch);
            float share = attention.share(head, max, sum);
            for (int range = 0; range < cut.ranges; range++) {
                long from = states + range * cut.stateBytes() + row * cut.size.valueBytes();
                float part = Memory.getFloat(numbers + range * cut.stateBytes()) * share;
                if (range == 0) {
                    AttentionRowKernels.scale(from, part, to, attention.valueSize);
                } else {
                    AttentionRowKernels.add(from, part, to, attention.valueSize);
                }
            }
        }

        private static float weight(float own, float max) {
            if (own == max) {
                return 1;
            }
            return own == Float.NEGATIVE_INFINITY ? 0 : (float) Math.pow(2, (double) own - max);
        }
    }
}
