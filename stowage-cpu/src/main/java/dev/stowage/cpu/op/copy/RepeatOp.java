package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.kernel.copy.MoveKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.team.RangeTask;

/** REPEAT: an operand as often in each dimension as it takes to fill the result. */
final class RepeatOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        if (node.operand(0).type != node.result().type) {
            return false;
        }
        node.add(new Repeating(StridedBlocks.of(node.operand(0)), StridedBlocks.of(node.result()), node.threads()));
        return true;
    }

    private static final class Repeating extends RangeTask {

        private final StridedBlocks from;
        private final StridedBlocks to;

        Repeating(StridedBlocks from, StridedBlocks to, int threads) {
            super(to.rows(), MoveTasks.nanos(to.rowBytes()) + 20, threads);
            this.from = from;
            this.to = to;
        }

        @Override
        protected void run(long first, long last, int thread) {
            for (long row = first; row < last; row++) {
                long i3 = row / (to.d1() * to.d2());
                long i2 = (row - i3 * to.d1() * to.d2()) / to.d1();
                long i1 = row - (i3 * to.d2() + i2) * to.d1();
                fill(from.at(i1 % from.d1(), i2 % from.d2(), i3 % from.d3()), to.at(i1, i2, i3));
            }
        }

        private void fill(long source, long target) {
            if (to.hasDenseRows()) {
                MoveKernels.move(source, from.s0(), target, to.s0(), from.d0(), to.bytes());
                MoveKernels.goOn(target, from.rowBytes(), to.rowBytes());
                return;
            }
            for (long k0 = 0; k0 < to.d0(); k0 += from.d0()) {
                MoveKernels.move(source, from.s0(), target + k0 * to.s0(), to.s0(), from.d0(), to.bytes());
            }
        }
    }
}
