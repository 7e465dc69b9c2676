package dev.stowage.cpu.op.norm;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.norm.SoftMaxKernels;
import dev.stowage.cpu.op.operand.RowSource;
import dev.stowage.cpu.op.operand.RowTarget;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import org.jspecify.annotations.Nullable;

/**
 * {@link Op#SOFT_MAX}, row by row. All heads of a query come one after the other, as they share a row of the mask,
 * which is then cached; an f16 mask is converted to floats once for all of them. All but whole numbers, f64 and
 * quantised rows with gaps.
 */
final class SoftMaxOp implements OpKernel {

    private static final int MASK = 1;
    private static final int SINKS = 2;

    @Override
    public boolean prepare(NodeBuilder node) {
        if (!RowSource.takes(node.operand(0))
                || !RowTarget.takes(node.result())
                || (node.has(MASK) && !RowSource.takes(node.operand(MASK)))) {
            return false;
        }
        node.add(new Rows(node));
        return true;
    }

    /**
     * Heads up to the largest power of two {@code p} among them have the slopes {@code 2^(-maxBias * (head + 1) / p)};
     * those after them take every other one of the slopes twice as many heads would have.
     */
    static float slope(float maxBias, long head, long heads) {
        if (!(maxBias > 0)) {
            return 1;
        }
        long power = Long.highestOneBit(heads);
        double exponent = head < power
                ? -maxBias / (double) power * (head + 1)
                : -maxBias / 2.0 / power * (2 * (head - power) + 1);
        return (float) Math.pow(2, exponent);
    }

    private static final class Rows extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.4;

        private final RowSource from;
        private final RowTarget to;
        private final @Nullable RowSource mask;
        private final @Nullable Operand maskOperand;
        private final @Nullable Operand sinks;
        private final float scale;
        private final float[] slopes;
        private final long n;
        private final long queries;
        private final long heads;

        Rows(NodeBuilder node) {
            super(node.result().rows(), node.result().d0 * NANOS_PER_ELEMENT, node.threads());
            Operand result = node.result();
            OpParameters.SoftMax parameters = node.parameters(OpParameters.SoftMax.class);
            this.from = RowSource.of(node, node.operand(0));
            this.to = RowTarget.of(node, result);
            this.maskOperand = node.has(MASK) ? node.operand(MASK) : null;
            this.mask = maskOperand == null ? null : RowSource.of(node, maskOperand);
            this.sinks = node.has(SINKS) ? node.operand(SINKS) : null;
            this.scale = parameters.scale();
            this.n = result.d0;
            this.queries = result.d1;
            this.heads = result.d2;
            this.slopes = new float[Math.toIntExact(heads)];
            for (int head = 0; head < slopes.length; head++) {
                slopes[head] = slope(parameters.maxBias(), head, heads);
            }
        }

        @Override
        protected void run(long first, long end, int thread) {
            long maskAt = SoftMaxKernels.NO_MASK;
            long maskRow = SoftMaxKernels.NO_MASK;
            for (long i = first; i < end; i++) {
                long head = i % heads;
                long query = i / heads % queries;
                long batch = i / heads / queries;
                if (mask != null && maskOperand != null) {
                    long at = maskOperand.at(query, head % maskOperand.d2, batch % maskOperand.d3);
                    if (at != maskAt) {
                        maskAt = at;
                        maskRow = mask.at(at, thread);
                    }
                }
                long row = query + (head + batch * heads) * queries;
                long target = to.row(row, thread);
                SoftMaxKernels.softMax(
                        from.row(row, thread), maskRow, target, n, scale, slopes[(int) head], sink(head));
                to.finish(row, thread);
            }
        }

        private float sink(long head) {
            return sinks == null ? Float.NEGATIVE_INFINITY : Memory.getFloat(sinks.address + head * sinks.s0);
        }
    }
}
