package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.ParallelTask;

/**
 * Multiplies the experts that were called with their columns. The rows of all of them form one line, each
 * as long as it takes, and a piece is a stretch of that line: a few experts for one token are shared by all threads as
 * one matrix would be, and one that most tokens call does not keep a thread busy when the others are done.
 *
 * <pre>
 *   │ expert 3        │ expert 7                         │ expert 8  │
 *   │ ··············· │ ································ │ ········· │    rows
 *   │ piece 0   │ piece 1   │ piece 2   │ piece 3   │ piece 4        │
 * </pre>
 */
abstract class ExpertTask extends ParallelTask {

    /** What an expert's rows cost beside its columns, as if it were so many more columns. */
    private static final long COLUMNS_FOR_READING = 4;

    private static final double WEIGHTS_PER_NANO = 10;
    private static final double NANOS_WORTH_SHARING = 2_000;
    private static final long PIECES_PER_THREAD = 6;

    final Operand weights;
    final Operand result;
    final ExpertLists lists;
    private final Operand source;

    ExpertTask(NodeBuilder node, ExpertLists lists, int leastRows) {
        super(pieces(node, leastRows));
        this.weights = node.operand(0);
        this.source = node.operand(1);
        this.result = node.result();
        this.lists = lists;
    }

    private static int pieces(NodeBuilder node, int leastRows) {
        Operand weights = node.operand(0);
        long columns = node.result().d1 * node.result().d2;
        double nanos = (double) weights.d0 * weights.d1 * columns / WEIGHTS_PER_NANO;
        if (node.threads() == 1 || nanos < NANOS_WORTH_SHARING) {
            return 1;
        }
        long most = Math.min(weights.d2, columns) * Math.ceilDiv(weights.d1, leastRows);
        return (int) Math.min(most, PIECES_PER_THREAD * node.threads());
    }

    @Override
    public final void run(int piece, int thread) {
        int called = lists.called();
        long all = 0;
        for (int index = 0; index < called; index++) {
            all += cost(index) * weights.d1;
        }
        long from = all * piece / pieces();
        long to = all * (piece + 1) / pieces();
        long start = 0;
        for (int index = 0; index < called && start < to; index++) {
            long first = row(index, from - start);
            long end = row(index, to - start);
            if (first < end) {
                rows(index, first, end, thread);
            }
            start += cost(index) * weights.d1;
        }
    }

    private long cost(int index) {
        return COLUMNS_FOR_READING + lists.count(index);
    }

    /** The row at which a piece begins that begins so far into an expert: the next that may be a first one. */
    private long row(int index, long position) {
        if (position <= 0) {
            return 0;
        }
        int step = step(lists.count(index));
        return Math.min(weights.d1, Math.ceilDiv(Math.ceilDiv(position, cost(index)), step) * step);
    }

    /** The number of rows that pieces of an expert with so many columns are multiples of. */
    abstract int step(int columns);

    /** Computes some rows of the expert at an index of the lists, for all its columns. */
    abstract void rows(int index, long from, long to, int thread);

    /** The address of a row of the weights of an expert. */
    final long weights(int index, long row) {
        return weights.at(row, lists.expert(index), 0);
    }

    /** The address of an element of the result. */
    final long result(int column, long row) {
        return result.at(column % result.d1, column / result.d1, 0) + row * Float.BYTES;
    }

    /** Where a column comes from: the place within its token. */
    final long place(int column) {
        return column % result.d1 % source.d1;
    }

    final long token(int column) {
        return column / result.d1;
    }
}
