package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.attention.RelativePositionKernels;
import dev.stowage.cpu.kernel.codec.RowEncoder;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.op.operand.RowTarget;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;

/**
 * GET_REL_POS and ADD_REL_POS: the embeddings of relative positions, and scores with what columns and rows of the keys
 * add to them. Scores of other types than f32 stay with the reference.
 */
final class RelativePositionOps {

    static final OpKernel GET = node -> {
        Operand result = node.result();
        if (!FloatSource.takes(node.operand(0)) || !result.hasDenseRows() || !RowTarget.takesElementsOf(result.type)) {
            return false;
        }
        node.add(new Get(node, FloatSource.of(node, 0)));
        return true;
    };

    static final OpKernel ADD = node -> {
        for (int slot = 0; slot < 3; slot++) {
            if (node.operand(slot).type != ElementType.F32
                    || !node.operand(slot).isContiguous()) {
                return false;
            }
        }
        if (!node.result().isContiguous() || node.result().type != ElementType.F32) {
            return false;
        }
        node.add(new Add(node));
        return true;
    };

    private RelativePositionOps() {}

    /** {@code result[i, key, query] = a[i, query - key + size - 1]}; one item is a row of the result. */
    private static final class Get extends RangeTask {

        private final FloatSource a;
        private final Operand result;
        private final RowEncoder encoder;

        Get(NodeBuilder node, FloatSource a) {
            super(node.result().rows(), node.result().d0 * 0.3, node.threads());
            this.a = a;
            this.result = node.result();
            this.encoder = RowEncoder.of(result.type);
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long row = from; row < to; row++) {
                long key = row % result.d1;
                long query = row / result.d1;
                encoder.encode(a.at(query - key + result.d1 - 1, 0, 0), result.row(row), result.d0);
            }
        }
    }

    /** One item is a row of the result. */
    private static final class Add extends RangeTask {

        private final Operand a;
        private final Operand horizontal;
        private final Operand vertical;
        private final Operand result;

        Add(NodeBuilder node) {
            super(node.result().rows(), node.result().d0 * 0.2, node.threads());
            this.a = node.operand(0);
            this.horizontal = node.operand(1);
            this.vertical = node.operand(2);
            this.result = node.result();
        }

        @Override
        protected void run(long from, long to, int thread) {
            long n = horizontal.d0;
            long added = result.d1 * result.d2;
            for (long row = from; row < to; row++) {
                // The additions have no dimension for the fourth one of the scores; ggml adds to its first entry only.
                if (row < added) {
                    RelativePositionKernels.add(a.row(row), horizontal.row(row), vertical.row(row), n, result.row(row));
                } else {
                    PanelKernels.copy(a.row(row), result.row(row), result.d0);
                }
            }
        }
    }
}
