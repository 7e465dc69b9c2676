package dev.stowage.cpu.op.window;

import dev.stowage.cpu.kernel.window.PoolRowKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.PoolKind;

/** POOL_1D and POOL_2D: the largest or the mean of the elements under a window, of every type that has floats. */
final class PoolOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        boolean floats = FloatSource.takes(node.operand(0)) && result.type == ElementType.F32;
        if (!floats || !result.hasDenseRows() || Math.max(result.d0, node.operand(0).d1) > Integer.MAX_VALUE) {
            return false;
        }
        OpParameters.Pool2d window = switch (node.step().parameters()) {
            case OpParameters.Pool1d p -> new OpParameters.Pool2d(p.kind(), p.size(), 1, p.stride(), 1, p.padding(), 0);
            default -> node.parameters(OpParameters.Pool2d.class);
        };
        // Along sequences padding does not count for the mean, on images it counts as zeros.
        boolean countsPadding = node.step().parameters() instanceof OpParameters.Pool2d;
        node.add(new Pool(node, FloatSource.of(node, 0), window, countsPadding));
        return true;
    }

    /** One item is a row of the result. */
    private static final class Pool extends RangeTask {

        private final FloatSource a;
        private final Operand result;
        private final OpParameters.Pool2d window;
        private final boolean countsPadding;

        Pool(NodeBuilder node, FloatSource a, OpParameters.Pool2d window, boolean countsPadding) {
            super(node.result().rows(), (double) node.result().d0 * window.size0() * window.size1(), node.threads());
            this.a = a;
            this.result = node.result();
            this.window = window;
            this.countsPadding = countsPadding;
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long item = from; item < to; item++) {
                long y = item % result.d1;
                long plane = item / result.d1;
                long top = y * window.stride1() - window.padding1();
                long first = Math.clamp(top, 0, a.d1);
                long end = Math.clamp(top + window.size1(), first, a.d1);
                long line = a.at(first, plane % result.d2, plane / result.d2);
                if (window.kind() == PoolKind.MAX) {
                    PoolRowKernels.max(
                            line,
                            a.s1,
                            (int) (end - first),
                            a.d0,
                            window.size0(),
                            window.stride0(),
                            window.padding0(),
                            result.row(item),
                            (int) result.d0);
                } else {
                    PoolRowKernels.mean(
                            line,
                            a.s1,
                            (int) (end - first),
                            a.d0,
                            window.size0(),
                            window.stride0(),
                            window.padding0(),
                            countsPadding ? (long) window.size0() * window.size1() : 0,
                            result.row(item),
                            (int) result.d0);
                }
            }
        }
    }
}
