package dev.stowage.cpu.op.window;

import dev.stowage.cpu.kernel.codec.RowEncoder;
import dev.stowage.cpu.kernel.window.ScatterAddKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.op.operand.RowTarget;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.OpParameters;

/** COL2IM_1D: overlapping windows added up again, {@code result[t, channel]} from all {@code a} that fall on it. */
final class Col2imOp implements OpKernel {

    /** Elements that are computed at a time, as floats, before they are written in the type of the result. */
    private static final long BLOCK = 512;

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        if (!FloatSource.takes(node.operand(0)) || !result.isContiguous() || !RowTarget.takesElementsOf(result.type)) {
            return false;
        }
        node.add(new Add(node, FloatSource.contiguous(node, 0)));
        return true;
    }

    private static final class Add extends RangeTask {

        private final FloatSource a;
        private final Operand result;
        private final OpParameters.Col2im1d parameters;
        private final RowEncoder encoder;
        private final Scratch sums;
        private final long blocks;

        Add(NodeBuilder node, FloatSource a) {
            super(Math.ceilDiv(node.result().d0, BLOCK) * node.result().d1, 4.0 * BLOCK, node.threads());
            this.a = a;
            this.result = node.result();
            this.parameters = node.parameters(OpParameters.Col2im1d.class);
            this.encoder = RowEncoder.of(result.type);
            this.sums = node.scratchPerThread(BLOCK * Float.BYTES);
            this.blocks = Math.ceilDiv(result.d0, BLOCK);
        }

        @Override
        protected void run(long from, long to, int thread) {
            long taps = a.d0 / parameters.channels();
            for (long item = from; item < to; item++) {
                long channel = item / blocks;
                long t = item % blocks * BLOCK;
                long count = Math.min(BLOCK, result.d0 - t);
                ScatterAddKernels.overlay(
                        a.address() + channel * taps * Float.BYTES,
                        a.s1,
                        a.d1,
                        taps,
                        parameters.stride(),
                        t + parameters.padding(),
                        count,
                        sums.address(thread));
                encoder.encode(sums.address(thread), result.at(channel, 0, 0) + t * result.s0, count);
            }
        }
    }
}
