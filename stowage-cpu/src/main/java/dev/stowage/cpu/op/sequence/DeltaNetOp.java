package dev.stowage.cpu.op.sequence;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.sequence.DeltaNetKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;

/**
 * GATED_DELTA_NET: the states of all heads go over the tokens of their sequence. They are worked on where the newest
 * ones are stored in the result; older ones that are kept are copied from there as the tokens go by.
 */
final class DeltaNetOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        if (!FloatSource.takesAll(node, 0, 6) || !result.isContiguous() || result.type != ElementType.F32) {
            return false;
        }
        FloatSource[] operands = new FloatSource[6];
        for (int slot = 0; slot < operands.length; slot++) {
            operands[slot] = FloatSource.of(node, slot);
        }
        node.add(new Scan(node, operands));
        return true;
    }

    /** One item is a head of a sequence. */
    private static final class Scan extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.2;

        private final FloatSource q;
        private final FloatSource k;
        private final FloatSource v;
        private final FloatSource gate;
        private final FloatSource beta;
        private final FloatSource states;
        private final long result;
        private final long size;
        private final long heads;
        private final long tokens;
        private final long sequences;
        private final long kept;
        private final Scratch decays;

        Scan(NodeBuilder node, FloatSource[] operands) {
            super(
                    operands[2].d1 * operands[2].d3,
                    operands[2].d0 * operands[2].d0 * operands[2].d2 * NANOS_PER_ELEMENT,
                    node.threads());
            this.q = operands[0];
            this.k = operands[1];
            this.v = operands[2];
            this.gate = operands[3];
            this.beta = operands[4];
            this.states = operands[5];
            this.result = node.result().address;
            this.size = v.d0;
            this.heads = v.d1;
            this.tokens = v.d2;
            this.sequences = v.d3;
            this.kept = node.parameters(OpParameters.Snapshots.class).count();
            this.decays = node.scratchPerThread(size * Float.BYTES);
        }

        @Override
        protected void run(long from, long to, int thread) {
            long matrix = size * size;
            for (long item = from; item < to; item++) {
                long head = item % heads;
                long sequence = item / heads;
                long state = result + (size * heads * tokens * sequences + item * matrix) * Float.BYTES;
                PanelKernels.copy(states.at(0, head, sequence), state, matrix);
                for (long token = 0; token < tokens; token++) {
                    update(state, head, token, sequence, decays.address(thread));
                    long tokensAgo = tokens - 1 - token;
                    if (tokensAgo > 0 && tokensAgo < kept) {
                        long older = state + tokensAgo * sequences * heads * matrix * Float.BYTES;
                        PanelKernels.copy(state, older, matrix);
                    }
                }
            }
        }

        private void update(long state, long head, long token, long sequence, long decay) {
            DeltaNetKernels.decays(gate.at(head, token, sequence), gate.d0, decay, size);
            DeltaNetKernels.update(
                    state,
                    size,
                    decay,
                    k.at(head % k.d1, token, sequence / (sequences / k.d3)),
                    q.at(head % q.d1, token, sequence / (sequences / q.d3)),
                    v.at(head, token, sequence),
                    Memory.getFloat(beta.at(head, token, sequence)),
                    result + (((sequence * tokens + token) * heads + head) * size) * Float.BYTES);
        }
    }
}
