package dev.stowage.cpu.op.sequence;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.kernel.math.ExpKernels;
import dev.stowage.cpu.kernel.sequence.SsmKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.error.AccessException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;

/**
 * SSM_SCAN: the states of all heads go over the tokens of their sequence. They are worked on where the newest ones are
 * stored in the result; older ones that are kept are copied from there as the tokens go by.
 */
final class SsmScanOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        if (!FloatSource.takesAll(node, 0, 6) || !result.isContiguous() || result.type != ElementType.F32) {
            return false;
        }
        FloatSource states = FloatSource.contiguous(node, 0);
        FloatSource x = FloatSource.of(node, 1);
        FloatSource dt = FloatSource.contiguous(node, 2);
        FloatSource a = FloatSource.contiguous(node, 3);
        FloatSource b = FloatSource.of(node, 4);
        FloatSource c = FloatSource.of(node, 5);
        node.add(new Scan(node, states, x, dt, a, b, c));
        return true;
    }

    /** One item is a head of a sequence. */
    private static final class Scan extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.2;

        private final FloatSource states;
        private final FloatSource x;
        private final FloatSource dt;
        private final FloatSource a;
        private final FloatSource b;
        private final FloatSource c;
        private final Operand ids;
        private final long result;
        private final long size;
        private final long heads;
        private final long headsPerGroup;
        private final long kept;

        Scan(
                NodeBuilder node,
                FloatSource states,
                FloatSource x,
                FloatSource dt,
                FloatSource a,
                FloatSource b,
                FloatSource c) {
            super(x.d1 * x.d3, states.d0 * x.d0 * x.d2 * NANOS_PER_ELEMENT, node.threads());
            this.states = states;
            this.x = x;
            this.dt = dt;
            this.a = a;
            this.b = b;
            this.c = c;
            this.ids = node.operand(6);
            this.result = node.result().address;
            this.size = states.d0;
            this.heads = x.d1;
            this.headsPerGroup = heads / b.d1;
            this.kept = node.parameters(OpParameters.Snapshots.class).count();
        }

        @Override
        protected void run(long from, long to, int thread) {
            long matrix = size * x.d0;
            for (long item = from; item < to; item++) {
                long head = item % heads;
                long sequence = item / heads;
                long state = result + (x.d0 * heads * x.d2 * x.d3 + item * matrix) * Float.BYTES;
                PanelKernels.copy(states.at(0, head, stateOf(sequence)), state, matrix);
                for (long token = 0; token < x.d2; token++) {
                    scan(state, head, token, sequence);
                    long tokensAgo = x.d2 - 1 - token;
                    if (tokensAgo > 0 && tokensAgo < kept) {
                        long older = state + tokensAgo * x.d3 * heads * matrix * Float.BYTES;
                        PanelKernels.copy(state, older, matrix);
                    }
                }
            }
        }

        private long stateOf(long sequence) {
            int id = Memory.getInt(ids.address + sequence * ids.s0);
            if (id < 0 || id >= states.d3) {
                throw new AccessException("sequence " + sequence + " is to start from state " + id
                        + ", and there are states 0 to " + (states.d3 - 1));
            }
            return id;
        }

        private void scan(long state, long head, long token, long sequence) {
            float raw = Memory.getFloat(dt.at(token, sequence, 0) + head * Float.BYTES);
            float step = SsmKernels.softplus(raw);
            long decays = a.at(head, 0, 0);
            long in = x.at(head, token, sequence);
            long group = head / headsPerGroup;
            long y = result + ((sequence * x.d2 + token) * heads + head) * x.d0 * Float.BYTES;
            long taking = b.at(group, token, sequence);
            long giving = c.at(group, token, sequence);
            if (a.d0 == 1) {
                float decay = ExpKernels.exp(step * Memory.getFloat(decays));
                SsmKernels.scan(state, x.d0, size, decay, step, in, taking, giving, y);
            } else {
                SsmKernels.scanEach(state, x.d0, size, decays, step, in, taking, giving, y);
            }
        }
    }
}
