package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.kernel.copy.MoveKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;

/**
 * GET_ROWS: rows of a table by number, decoded to floats, or moved where the type stays the same. The reference op is
 * left with tables of other types whose rows have gaps.
 */
final class GetRowsOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand table = node.operand(0);
        Operand result = node.result();
        if (!RowIndexCheck.areOf(node.operand(1).type)) {
            return false;
        }
        RowIndexCheck numbers = new RowIndexCheck(node.operand(1), table);
        if (table.type == result.type) {
            node.add(numbers);
            node.add(new Moving(numbers, StridedBlocks.of(table), StridedBlocks.of(result), node.threads()));
            return true;
        }
        if (result.type != ElementType.F32 || !result.hasDenseRows() || !table.hasDenseRows()) {
            return false;
        }
        node.add(numbers);
        node.add(new Decoding(numbers, table, result, node.threads()));
        return true;
    }

    /** Goes through the rows of the result. */
    private abstract static class Rows extends RangeTask {

        private final RowIndexCheck numbers;
        private final long d1;
        private final long d2;

        Rows(RowIndexCheck numbers, long rows, long d1, long d2, double nanos, int threads) {
            super(rows, nanos + 10, threads);
            this.numbers = numbers;
            this.d1 = d1;
            this.d2 = d2;
        }

        @Override
        protected final void run(long first, long last, int thread) {
            for (long row = first; row < last; row++) {
                long i3 = row / (d1 * d2);
                long i2 = (row - i3 * d1 * d2) / d1;
                long i1 = row - (i3 * d2 + i2) * d1;
                row(numbers.get(i1, i2, i3), i1, i2, i3);
            }
        }

        /** Writes row {@code i1} of a matrix of the result from row {@code number} of the same one of the table. */
        abstract void row(long number, long i1, long i2, long i3);
    }

    private static final class Moving extends Rows {

        private final StridedBlocks table;
        private final StridedBlocks result;

        Moving(RowIndexCheck numbers, StridedBlocks table, StridedBlocks result, int threads) {
            super(numbers, result.rows(), result.d1(), result.d2(), MoveTasks.nanos(result.rowBytes()), threads);
            this.table = table;
            this.result = result;
        }

        @Override
        void row(long number, long i1, long i2, long i3) {
            long source = table.at(number, i2, i3);
            MoveKernels.move(source, table.s0(), result.at(i1, i2, i3), result.s0(), result.d0(), result.bytes());
        }
    }

    private static final class Decoding extends Rows {

        private final Operand table;
        private final Operand result;
        private final RowDecoder decoder;

        Decoding(RowIndexCheck numbers, Operand table, Operand result, int threads) {
            super(numbers, result.rows(), result.d1, result.d2, result.d0 * 0.2, threads);
            this.table = table;
            this.result = result;
            this.decoder = RowDecoder.of(table.type);
        }

        @Override
        void row(long number, long i1, long i2, long i3) {
            decoder.decode(table.at(number, i2, i3), result.at(i1, i2, i3), result.d0);
        }
    }
}
