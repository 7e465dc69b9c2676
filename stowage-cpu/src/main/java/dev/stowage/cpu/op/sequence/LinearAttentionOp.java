package dev.stowage.cpu.op.sequence;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.sequence.LinearAttentionKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;

/**
 * RWKV_WKV6, RWKV_WKV7 and GATED_LINEAR_ATTN: layers that keep a square matrix for each head and change it from token
 * to token. The state is worked on where it is stored in the result; heads and sequences go to threads.
 */
final class LinearAttentionOp implements OpKernel {

    private final Op op;
    private final int stateSlot;

    private LinearAttentionOp(Op op, int stateSlot) {
        this.op = op;
        this.stateSlot = stateSlot;
    }

    static LinearAttentionOp wkv6() {
        return new LinearAttentionOp(Op.RWKV_WKV6, 5);
    }

    static LinearAttentionOp wkv7() {
        return new LinearAttentionOp(Op.RWKV_WKV7, 6);
    }

    static LinearAttentionOp linearAttention() {
        return new LinearAttentionOp(Op.GATED_LINEAR_ATTN, 4);
    }

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        long tokens = node.operand(0).d2;
        long sequences = node.operand(stateSlot).d1;
        if (!FloatSource.takesAll(node, 0, stateSlot + 1)
                || !result.isContiguous()
                || result.type != ElementType.F32
                || tokens % sequences != 0) {
            return false;
        }
        FloatSource[] operands = new FloatSource[stateSlot + 1];
        for (int slot = 0; slot < operands.length; slot++) {
            operands[slot] = FloatSource.contiguous(node, slot);
        }
        node.add(
                switch (op) {
                    case RWKV_WKV6 -> new Wkv6(node, operands);
                    case RWKV_WKV7 -> new Wkv7(node, operands);
                    default -> new LinearAttention(node, operands);
                });
        return true;
    }

    /** Goes over the tokens of each sequence, head by head. */
    private abstract static class Scan extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.15;

        final FloatSource[] operands;
        final long size;
        private final FloatSource states;
        private final long result;
        private final long heads;
        private final long tokens;
        private final long perSequence;

        Scan(NodeBuilder node, FloatSource[] operands) {
            super(items(operands), nanosPerItem(operands), node.threads());
            this.operands = operands;
            this.states = operands[operands.length - 1];
            this.size = operands[0].d0;
            this.heads = operands[0].d1;
            this.tokens = operands[0].d2;
            this.perSequence = tokens / states.d1;
            this.result = node.result().address;
        }

        private static long items(FloatSource[] operands) {
            return operands[0].d1 * operands[operands.length - 1].d1;
        }

        private static double nanosPerItem(FloatSource[] operands) {
            double tokens = (double) operands[0].d2 / operands[operands.length - 1].d1;
            return operands[0].d0 * operands[0].d0 * tokens * NANOS_PER_ELEMENT;
        }

        @Override
        protected void run(long from, long to, int thread) {
            long bytes = size * size * Float.BYTES;
            for (long item = from; item < to; item++) {
                long head = item % heads;
                long firstToken = item / heads * perSequence;
                long state = result + size * heads * tokens * Float.BYTES + item * bytes;
                PanelKernels.copy(states.address() + item * bytes, state, size * size);
                for (long token = firstToken; token < firstToken + perSequence; token++) {
                    long offset = (token * heads + head) * size * Float.BYTES;
                    update(state, offset, head, result + offset);
                }
            }
        }

        /** Changes a state by what operands have for a token at an offset, and writes what comes out. */
        abstract void update(long state, long offset, long head, long y);
    }

    private static final class Wkv6 extends Scan {

        Wkv6(NodeBuilder node, FloatSource[] operands) {
            super(node, operands);
        }

        @Override
        void update(long state, long offset, long head, long y) {
            LinearAttentionKernels.wkv6(
                    state,
                    size,
                    operands[0].address() + offset,
                    operands[1].address() + offset,
                    operands[2].address() + offset,
                    operands[3].address() + head * size * Float.BYTES,
                    operands[4].address() + offset,
                    y);
        }
    }

    private static final class Wkv7 extends Scan {

        Wkv7(NodeBuilder node, FloatSource[] operands) {
            super(node, operands);
        }

        @Override
        void update(long state, long offset, long head, long y) {
            LinearAttentionKernels.wkv7(
                    state,
                    size,
                    operands[0].address() + offset,
                    operands[1].address() + offset,
                    operands[2].address() + offset,
                    operands[3].address() + offset,
                    operands[4].address() + offset,
                    operands[5].address() + offset,
                    y);
        }
    }

    private static final class LinearAttention extends Scan {

        private final float scale;

        LinearAttention(NodeBuilder node, FloatSource[] operands) {
            super(node, operands);
            this.scale =
                    node.parameters(OpParameters.GatedLinearAttention.class).scale();
        }

        @Override
        void update(long state, long offset, long head, long y) {
            LinearAttentionKernels.linearAttention(
                    state,
                    size,
                    operands[0].address() + offset,
                    operands[1].address() + offset,
                    operands[2].address() + offset,
                    operands[3].address() + offset,
                    scale,
                    y);
        }
    }
}
