package dev.stowage.cpu.op.norm;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;

/**
 * {@link Op#DIAG_MASK_INF} and {@link Op#DIAG_MASK_ZERO}: in row {@code i}, everything after column {@code past + i}
 * becomes one value, and the rest stays. Takes f32 and f16 with dense rows.
 */
final class DiagonalMaskOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        boolean plain = result.type == ElementType.F32 || result.type == ElementType.F16;
        if (!plain || !result.hasDenseRows() || !node.operand(0).hasDenseRows()) {
            return false;
        }
        node.add(new Rows(node));
        return true;
    }

    private static final class Rows extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.1;

        private final Operand from;
        private final Operand to;
        private final long past;
        private final float value;
        private final long size;

        Rows(NodeBuilder node) {
            super(node.result().rows(), node.result().d0 * NANOS_PER_ELEMENT, node.threads());
            this.from = node.operand(0);
            this.to = node.result();
            this.past = node.parameters(OpParameters.DiagMask.class).past();
            this.value = node.step().op() == Op.DIAG_MASK_INF ? Float.NEGATIVE_INFINITY : 0;
            this.size = to.type.bytesPerBlock();
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                long kept = Math.clamp(past + row % to.d1 + 1, 0L, to.d0);
                long target = to.row(row);
                if (from.row(row) != target) {
                    Memory.copy(from.row(row), target, kept * size);
                }
                for (long i = kept; i < to.d0; i++) {
                    if (size == Float.BYTES) {
                        Memory.setFloat(target + i * size, value);
                    } else {
                        Memory.setHalf(target + i * size, value);
                    }
                }
            }
        }
    }
}
