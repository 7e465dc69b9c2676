package dev.stowage.cpu.op.window;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;

/**
 * WIN_PART and WIN_UNPART: images of f32 cut into square windows and put together again, a row of channels at a time.
 */
final class WindowPartitionOps {

    static final OpKernel PART = node -> {
        OpParameters.WinPart p = node.parameters(OpParameters.WinPart.class);
        return prepare(node, p.edge(), p.columns(), true);
    };

    static final OpKernel UNPART = node -> {
        int edge = node.parameters(OpParameters.WinUnpart.class).edge();
        return prepare(node, edge, Math.ceilDiv(node.result().d1, edge), false);
    };

    private WindowPartitionOps() {}

    private static boolean prepare(NodeBuilder node, long edge, long columns, boolean parts) {
        Operand result = node.result();
        if (!FloatSource.takes(node.operand(0)) || !result.hasDenseRows() || result.type != ElementType.F32) {
            return false;
        }
        node.add(new Move(node, FloatSource.of(node, 0), edge, columns, parts));
        return true;
    }

    /** One item is a row of the result. */
    private static final class Move extends RangeTask {

        private final FloatSource a;
        private final Operand result;
        private final long edge;
        private final long columns;
        private final boolean parts;

        Move(NodeBuilder node, FloatSource a, long edge, long columns, boolean parts) {
            super(node.result().rows(), node.result().d0 * 0.1 + 5, node.threads());
            this.a = a;
            this.result = node.result();
            this.edge = edge;
            this.columns = columns;
            this.parts = parts;
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long item = from; item < to; item++) {
                long x = item % result.d1;
                long y = item / result.d1 % result.d2;
                long window = item / (result.d1 * result.d2);
                long target = result.at(x, y, window);
                if (!parts) {
                    long source = a.at(x % edge, y % edge, x / edge + y / edge * columns);
                    PanelKernels.copy(source, target, result.d0);
                } else {
                    long column = window % columns * edge + x;
                    long row = window / columns * edge + y;
                    if (column < a.d1 && row < a.d2) {
                        PanelKernels.copy(a.at(column, row, 0), target, result.d0);
                    } else {
                        PanelKernels.zero(target, result.d0);
                    }
                }
            }
        }
    }
}
