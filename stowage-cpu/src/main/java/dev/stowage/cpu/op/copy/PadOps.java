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
import java.util.Map;

/** Ops that pad an operand or rotate it: PAD, PAD_REFLECT_1D and ROLL. */
final class PadOps {

    private PadOps() {}

    static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.PAD, new GuardedKernel(PadOps::pad));
        byOp.put(Op.ROLL, new GuardedKernel(PadOps::roll));
        byOp.put(Op.PAD_REFLECT_1D, new GuardedKernel(PadOps::padReflect));
    }

    private static boolean pad(NodeBuilder node) {
        OpParameters.Pad p = node.parameters(OpParameters.Pad.class);
        long[] before = {p.before0(), p.before1(), p.before2(), p.before3()};
        return frame(node, before, p.circular());
    }

    private static boolean roll(NodeBuilder node) {
        OpParameters.Roll p = node.parameters(OpParameters.Roll.class);
        long[] shift = {p.shift0(), p.shift1(), p.shift2(), p.shift3()};
        return frame(node, shift, true);
    }

    private static boolean frame(NodeBuilder node, long[] before, boolean circular) {
        Operand a = node.operand(0);
        if (a.type != node.result().type) {
            return false;
        }
        before[0] /= a.type.blockSize();
        node.add(new Framing(StridedBlocks.of(a), StridedBlocks.of(node.result()), before, circular, node.threads()));
        return true;
    }

    private static boolean padReflect(NodeBuilder node) {
        OpParameters.PadReflect1d p = node.parameters(OpParameters.PadReflect1d.class);
        Operand a = node.operand(0);
        boolean fits = Math.max(p.before(), p.after()) < a.d0;
        if (!fits || a.type != node.result().type || a.type.isQuantized() || a.type == ElementType.I64) {
            return false;
        }
        node.add(new Mirroring(
                StridedBlocks.of(a), StridedBlocks.of(node.result()), p.before(), p.after(), node.threads()));
        return true;
    }

    /** An operand that begins at some index of the result, with zeros around it or going on with its other end. */
    private static final class Framing extends RangeTask {

        private final StridedBlocks from;
        private final StridedBlocks to;
        private final long before0;
        private final long before1;
        private final long before2;
        private final long before3;
        private final boolean circular;

        Framing(StridedBlocks from, StridedBlocks to, long[] before, boolean circular, int threads) {
            super(to.rows(), MoveTasks.nanos(to.rowBytes()) + 20, threads);
            this.from = from;
            this.to = to;
            this.before0 = before[0];
            this.before1 = before[1];
            this.before2 = before[2];
            this.before3 = before[3];
            this.circular = circular;
        }

        @Override
        protected void run(long first, long last, int thread) {
            for (long row = first; row < last; row++) {
                long i3 = row / (to.d1() * to.d2());
                long i2 = (row - i3 * to.d1() * to.d2()) / to.d1();
                long i1 = row - (i3 * to.d2() + i2) * to.d1();
                if (circular) {
                    around(wrapped(i1, i2, i3), to.at(i1, i2, i3));
                } else {
                    within(i1 - before1, i2 - before2, i3 - before3, to.at(i1, i2, i3));
                }
            }
        }

        private long wrapped(long i1, long i2, long i3) {
            return from.at(
                    Math.floorMod(i1 - before1, from.d1()),
                    Math.floorMod(i2 - before2, from.d2()),
                    Math.floorMod(i3 - before3, from.d3()));
        }

        private void around(long source, long target) {
            long k0 = 0;
            while (k0 < to.d0()) {
                long j0 = Math.floorMod(k0 - before0, from.d0());
                long count = Math.min(from.d0() - j0, to.d0() - k0);
                move(source + j0 * from.s0(), target + k0 * to.s0(), count);
                k0 += count;
            }
        }

        private void within(long j1, long j2, long j3, long target) {
            boolean inside = Math.min(j1, Math.min(j2, j3)) >= 0 && j1 < from.d1() && j2 < from.d2() && j3 < from.d3();
            if (!inside) {
                zero(target, 0, to.d0());
                return;
            }
            long begin = Math.clamp(before0, 0, to.d0());
            long end = Math.clamp(before0 + from.d0(), begin, to.d0());
            zero(target, 0, begin);
            long source = from.at(j1, j2, j3) + (begin - before0) * from.s0();
            move(source, target + begin * to.s0(), end - begin);
            zero(target, end, to.d0());
        }

        private void move(long source, long target, long count) {
            MoveKernels.move(source, from.s0(), target, to.s0(), count, to.bytes());
        }

        private void zero(long target, long begin, long end) {
            MoveKernels.zero(target + begin * to.s0(), to.s0(), end - begin, to.bytes());
        }
    }

    /** Rows that go back from their first and last element, which are not repeated themselves. */
    private static final class Mirroring extends RangeTask {

        private final StridedBlocks from;
        private final StridedBlocks to;
        private final long before;
        private final long after;

        Mirroring(StridedBlocks from, StridedBlocks to, long before, long after, int threads) {
            super(to.rows(), MoveTasks.nanos(to.rowBytes()) + 20, threads);
            this.from = from;
            this.to = to;
            this.before = before;
            this.after = after;
        }

        @Override
        protected void run(long first, long last, int thread) {
            for (long row = first; row < last; row++) {
                long source = from.row(row);
                long target = to.row(row);
                long s0 = from.s0();
                long end = before + from.d0();
                move(source + before * s0, -s0, target, before);
                move(source, s0, target + before * to.s0(), from.d0());
                move(source + (from.d0() - 2) * s0, -s0, target + end * to.s0(), after);
            }
        }

        private void move(long source, long stride, long target, long count) {
            MoveKernels.move(source, stride, target, to.s0(), count, to.bytes());
        }
    }
}
