package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.kernel.copy.MoveKernels;
import dev.stowage.cpu.program.GuardedKernel;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.TriangleKind;
import java.util.Map;

/** TRI and DIAG: matrices with one side of the diagonal set to zero, or with nothing but a diagonal. */
final class DiagonalOps {

    private DiagonalOps() {}

    static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.TRI, new GuardedKernel(DiagonalOps::tri));
        byOp.put(Op.DIAG, new GuardedKernel(DiagonalOps::diag));
    }

    private static boolean isMovable(NodeBuilder node) {
        ElementType type = node.operand(0).type;
        return type == node.result().type && !type.isQuantized() && type != ElementType.I64;
    }

    private static boolean tri(NodeBuilder node) {
        if (!isMovable(node)) {
            return false;
        }
        TriangleKind kind = node.parameters(OpParameters.Tri.class).kind();
        node.add(
                new Triangle(StridedBlocks.of(node.operand(0)), StridedBlocks.of(node.result()), kind, node.threads()));
        return true;
    }

    private static boolean diag(NodeBuilder node) {
        if (!isMovable(node)) {
            return false;
        }
        node.add(new Diagonal(node.operand(0), StridedBlocks.of(node.result()), node.threads()));
        return true;
    }

    private static final class Triangle extends RangeTask {

        private final StridedBlocks from;
        private final StridedBlocks to;
        private final TriangleKind kind;

        Triangle(StridedBlocks from, StridedBlocks to, TriangleKind kind, int threads) {
            super(to.rows(), MoveTasks.nanos(to.rowBytes()) + 20, threads);
            this.from = from;
            this.to = to;
            this.kind = kind;
        }

        @Override
        protected void run(long first, long last, int thread) {
            for (long row = first; row < last; row++) {
                long i1 = row % to.d1();
                long begin = switch (kind) {
                    case UPPER_DIAG -> Math.min(i1, to.d0());
                    case UPPER -> Math.min(i1 + 1, to.d0());
                    case LOWER_DIAG, LOWER -> 0;
                };
                long end = switch (kind) {
                    case UPPER_DIAG, UPPER -> to.d0();
                    case LOWER_DIAG -> Math.min(i1 + 1, to.d0());
                    case LOWER -> Math.min(i1, to.d0());
                };
                keep(from.row(row), to.row(row), begin, end);
            }
        }

        private void keep(long source, long target, long begin, long end) {
            long s0 = to.s0();
            MoveKernels.zero(target, s0, begin, to.bytes());
            MoveKernels.move(source + begin * from.s0(), from.s0(), target + begin * s0, s0, end - begin, to.bytes());
            MoveKernels.zero(target + end * s0, s0, to.d0() - end, to.bytes());
        }
    }

    private static final class Diagonal extends RangeTask {

        private final Operand from;
        private final StridedBlocks to;

        Diagonal(Operand from, StridedBlocks to, int threads) {
            super(to.rows(), MoveTasks.nanos(to.rowBytes()) + 20, threads);
            this.from = from;
            this.to = to;
        }

        @Override
        protected void run(long first, long last, int thread) {
            for (long row = first; row < last; row++) {
                long matrix = row / to.d1();
                long i1 = row - matrix * to.d1();
                long i3 = matrix / to.d2();
                long i2 = matrix - i3 * to.d2();
                long target = to.at(i1, i2, i3);
                MoveKernels.zero(target, to.s0(), to.d0(), to.bytes());
                long source = from.at(0, i2, i3) + i1 * from.s0;
                MoveKernels.move(source, from.s0, target + i1 * to.s0(), to.s0(), 1, to.bytes());
            }
        }
    }
}
