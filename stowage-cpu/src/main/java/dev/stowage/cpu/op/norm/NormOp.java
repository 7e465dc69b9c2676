package dev.stowage.cpu.op.norm;

import dev.stowage.cpu.kernel.norm.RowNorms;
import dev.stowage.cpu.op.operand.RowSource;
import dev.stowage.cpu.op.operand.RowTarget;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;

/**
 * {@link Op#NORM}, {@link Op#RMS_NORM} and {@link Op#L2_NORM}, row by row. All but whole numbers, f64 and quantised rows
 * with gaps.
 */
final class NormOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        if (!RowSource.takes(node.operand(0)) || !RowTarget.takes(node.result())) {
            return false;
        }
        node.add(new Rows(node));
        return true;
    }

    private static final class Rows extends RangeTask {

        /** Two passes over a row in cache. */
        private static final double NANOS_PER_ELEMENT = 0.15;

        private final Op op;
        private final double epsilon;
        private final long n;
        private final RowSource from;
        private final RowTarget to;

        Rows(NodeBuilder node) {
            super(node.result().rows(), node.result().d0 * NANOS_PER_ELEMENT, node.threads());
            Operand result = node.result();
            this.op = node.step().op();
            this.epsilon = node.parameters(OpParameters.Norm.class).epsilon();
            this.n = result.d0;
            this.from = RowSource.of(node, node.operand(0));
            this.to = RowTarget.of(node, result);
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                long source = from.row(row, thread);
                long target = to.row(row, thread);
                switch (op) {
                    case RMS_NORM -> RowNorms.rms(source, target, n, epsilon);
                    case L2_NORM -> RowNorms.length(source, target, n, epsilon);
                    default -> RowNorms.centre(source, target, n, epsilon);
                }
                to.finish(row, thread);
            }
        }
    }
}
