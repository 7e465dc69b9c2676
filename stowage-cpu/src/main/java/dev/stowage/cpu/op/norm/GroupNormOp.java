package dev.stowage.cpu.op.norm;

import dev.stowage.cpu.kernel.norm.RowNorms;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;

/**
 * {@link Op#GROUP_NORM} of f32 channels without gaps, so that a group is one long row. The reference op takes the rest.
 */
final class GroupNormOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        if (!isDense(node.operand(0)) || !isDense(node.result())) {
            return false;
        }
        node.add(new Groups(node));
        return true;
    }

    /** Images may have gaps between them, their channels may not. */
    private static boolean isDense(Operand operand) {
        return operand.type == ElementType.F32
                && operand.hasDenseRows()
                && (operand.d1 == 1 || operand.s1 == operand.d0 * Float.BYTES)
                && (operand.d2 == 1 || operand.s2 == operand.d0 * operand.d1 * Float.BYTES);
    }

    private static final class Groups extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.3;

        private final Operand from;
        private final Operand to;
        private final double epsilon;
        private final long channels;
        private final long groups;
        private final long perChannel;

        Groups(NodeBuilder node) {
            super(
                    groups(node) * node.result().d3,
                    channels(node) * node.result().d0 * node.result().d1 * NANOS_PER_ELEMENT,
                    node.threads());
            this.from = node.operand(0);
            this.to = node.result();
            this.epsilon = node.parameters(OpParameters.GroupNorm.class).epsilon();
            this.channels = channels(node);
            this.groups = groups(node);
            this.perChannel = to.d0 * to.d1;
        }

        private static long channels(NodeBuilder node) {
            return Math.ceilDiv(
                    node.result().d2,
                    node.parameters(OpParameters.GroupNorm.class).groups());
        }

        /** How many groups have channels in them. */
        private static long groups(NodeBuilder node) {
            return Math.ceilDiv(node.result().d2, channels(node));
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long i = first; i < end; i++) {
                long image = i / groups;
                long channel = i % groups * channels;
                long count = Math.min(channels, to.d2 - channel);
                RowNorms.centre(from.at(0, channel, image), to.at(0, channel, image), count * perChannel, epsilon);
            }
        }
    }
}
