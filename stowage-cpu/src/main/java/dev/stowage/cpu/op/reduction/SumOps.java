package dev.stowage.cpu.op.reduction;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.norm.RowReductionKernels;
import dev.stowage.cpu.op.operand.RowSource;
import dev.stowage.cpu.op.operand.RowTarget;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.ParallelTask;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;

/**
 * {@link Op#SUM}, {@link Op#SUM_ROWS}, {@link Op#MEAN}, {@link Op#CUMSUM} and {@link Op#COUNT_EQUAL}, a row at a time; the
 * sum of everything is the sum of the sums of its rows, so that it is the same for any number of threads. Takes floats of
 * all types but f64, and counts i32; whole numbers are summed up by the reference op.
 */
final class SumOps {

    private static final double NANOS_PER_ELEMENT = 0.1;
    private static final double NANOS_PER_ADDITION = 1.4;

    private SumOps() {}

    static boolean sum(NodeBuilder node) {
        if (!RowSource.takes(node.operand(0)) || !isPlainFloat(node.result())) {
            return false;
        }
        Scratch sums = node.scratch(node.operand(0).rows() * Double.BYTES);
        node.add(new RowSums(node, sums));
        node.add(new Total(node, sums));
        return true;
    }

    static boolean ofRows(NodeBuilder node) {
        if (!RowSource.takes(node.operand(0)) || !isPlainFloat(node.result())) {
            return false;
        }
        node.add(new RowResults(node));
        return true;
    }

    static boolean cumulated(NodeBuilder node) {
        if (!RowSource.takes(node.operand(0)) || !RowTarget.takes(node.result())) {
            return false;
        }
        node.add(new Cumulated(node));
        return true;
    }

    static boolean countEqual(NodeBuilder node) {
        if (!isDenseInts(node.operand(0)) || !isDenseInts(node.operand(1))) {
            return false;
        }
        Scratch counts = node.scratch(node.operand(0).rows() * Long.BYTES);
        node.add(new RowCounts(node, counts));
        node.add(new TotalCount(node, counts));
        return true;
    }

    private static boolean isDenseInts(Operand operand) {
        return operand.type == ElementType.I32 && operand.hasDenseRows();
    }

    private static boolean isPlainFloat(Operand result) {
        return result.type == ElementType.F32 || result.type == ElementType.F16;
    }

    private static void set(Operand result, long at, double value) {
        if (result.type == ElementType.F16) {
            Memory.setHalf(at, (float) value);
        } else {
            Memory.setFloat(at, (float) value);
        }
    }

    private static final class RowSums extends RangeTask {

        private final RowSource from;
        private final Scratch sums;
        private final long n;

        RowSums(NodeBuilder node, Scratch sums) {
            super(node.operand(0).rows(), node.operand(0).d0 * NANOS_PER_ELEMENT, node.threads());
            this.from = RowSource.of(node, node.operand(0));
            this.sums = sums;
            this.n = node.operand(0).d0;
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                double sum = RowReductionKernels.sum(from.row(row, thread), n);
                Memory.setLong(sums.address() + row * Double.BYTES, Double.doubleToRawLongBits(sum));
            }
        }
    }

    private static final class Total extends ParallelTask {

        private final Scratch sums;
        private final Operand result;
        private final long rows;

        Total(NodeBuilder node, Scratch sums) {
            super(1);
            this.sums = sums;
            this.result = node.result();
            this.rows = node.operand(0).rows();
        }

        @Override
        public void run(int piece, int thread) {
            double sum = 0;
            for (long row = 0; row < rows; row++) {
                sum += Double.longBitsToDouble(Memory.getLong(sums.address() + row * Double.BYTES));
            }
            set(result, result.address, sum);
        }
    }

    private static final class RowResults extends RangeTask {

        private final RowSource from;
        private final Operand result;
        private final long n;
        private final boolean mean;

        RowResults(NodeBuilder node) {
            super(node.operand(0).rows(), node.operand(0).d0 * NANOS_PER_ELEMENT, node.threads());
            this.from = RowSource.of(node, node.operand(0));
            this.result = node.result();
            this.n = node.operand(0).d0;
            this.mean = node.step().op() == Op.MEAN;
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                double sum = RowReductionKernels.sum(from.row(row, thread), n);
                set(result, result.row(row), mean ? sum / n : sum);
            }
        }
    }

    private static final class Cumulated extends RangeTask {

        private final RowSource from;
        private final RowTarget to;
        private final long n;

        Cumulated(NodeBuilder node) {
            super(node.result().rows(), node.result().d0 * NANOS_PER_ADDITION, node.threads());
            this.from = RowSource.of(node, node.operand(0));
            this.to = RowTarget.of(node, node.result());
            this.n = node.result().d0;
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                RowReductionKernels.cumulate(from.row(row, thread), to.row(row, thread), n);
                to.finish(row, thread);
            }
        }
    }

    private static final class RowCounts extends RangeTask {

        private final Operand a;
        private final Operand b;
        private final Scratch counts;

        RowCounts(NodeBuilder node, Scratch counts) {
            super(node.operand(0).rows(), node.operand(0).d0 * NANOS_PER_ELEMENT, node.threads());
            this.a = node.operand(0);
            this.b = node.operand(1);
            this.counts = counts;
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                long count = RowReductionKernels.countEqual(a.row(row), b.row(row), a.d0);
                Memory.setLong(counts.address() + row * Long.BYTES, count);
            }
        }
    }

    private static final class TotalCount extends ParallelTask {

        private final Scratch counts;
        private final long result;
        private final long rows;

        TotalCount(NodeBuilder node, Scratch counts) {
            super(1);
            this.counts = counts;
            this.result = node.result().address;
            this.rows = node.operand(0).rows();
        }

        @Override
        public void run(int piece, int thread) {
            long count = 0;
            for (long row = 0; row < rows; row++) {
                count += Memory.getLong(counts.address() + row * Long.BYTES);
            }
            Memory.setLong(result, count);
        }
    }
}
