package dev.stowage.cpu.op.reduction;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.norm.RowReductionKernels;
import dev.stowage.cpu.op.operand.RowSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.SortOrder;

/**
 * {@link Op#ARGMAX}, {@link Op#ARGSORT} and {@link Op#TOP_K}: which elements of a row are the largest, rows shared out to
 * threads. Takes floats of all types but f64; whole numbers go to the reference op.
 */
final class SortOps {

    private SortOps() {}

    static boolean argmax(NodeBuilder node) {
        if (!RowSource.takes(node.operand(0))) {
            return false;
        }
        node.add(new Largest(node));
        return true;
    }

    static boolean argsort(NodeBuilder node) {
        SortOrder order = node.parameters(OpParameters.Argsort.class).order();
        return sorted(node, order == SortOrder.DESC);
    }

    static boolean topK(NodeBuilder node) {
        return sorted(node, true);
    }

    private static boolean sorted(NodeBuilder node, boolean descending) {
        if (!RowSource.takes(node.operand(0)) || node.operand(0).d0 > Integer.MAX_VALUE) {
            return false;
        }
        node.add(new Sorted(node, descending));
        return true;
    }

    private static final class Largest extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.1;

        private final RowSource from;
        private final Operand result;
        private final long n;

        Largest(NodeBuilder node) {
            super(node.result().d0, node.operand(0).d0 * NANOS_PER_ELEMENT, node.threads());
            this.from = RowSource.of(node, node.operand(0));
            this.result = node.result();
            this.n = node.operand(0).d0;
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                int place = RowReductionKernels.placeOfLargest(from.row(row, thread), n);
                Memory.setInt(result.address + row * result.s0, place);
            }
        }
    }

    private static final class Sorted extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 8;

        private final RowSource from;
        private final Operand result;
        private final RowSorter[] sorters;

        Sorted(NodeBuilder node, boolean descending) {
            super(node.result().rows(), node.operand(0).d0 * NANOS_PER_ELEMENT, node.threads());
            this.from = RowSource.of(node, node.operand(0));
            this.result = node.result();
            this.sorters = new RowSorter[node.threads()];
            for (int thread = 0; thread < sorters.length; thread++) {
                sorters[thread] =
                        new RowSorter(Math.toIntExact(node.operand(0).d0), Math.toIntExact(result.d0), descending);
            }
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                sorters[thread].sort(from.row(row, thread), result.row(row), result.s0);
            }
        }
    }
}
