package dev.stowage.cpu.op.rope;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.attention.RopeKernels;
import dev.stowage.cpu.op.operand.RowSource;
import dev.stowage.cpu.op.operand.RowTarget;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.reference.ReferenceOps;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;

/**
 * {@link Op#ROPE} and {@link Op#ROPE_BACK} in all modes: first the {@linkplain RopeTable table} of the angles, then the
 * rows. All but f64 and quantised rows with gaps.
 */
final class RopeOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        if (!RowSource.takes(node.operand(0))
                || !RowTarget.takes(node.result())
                || !ReferenceOps.supports(node.step().result().tensor()).isSupported()) {
            return false;
        }
        Rotation rotation = new Rotation(node);
        boolean areFloats = node.operand(0).isDenseF32() && node.result().isDenseF32();
        node.add(areFloats ? new Heads(node, rotation) : new Rows(node, rotation));
        return true;
    }

    /** How rows of one token are rotated. */
    static final class Rotation {

        private final RopeTable table;
        private final boolean neighbours;
        private final long first;
        private final long rotated;
        private final long n;

        Rotation(NodeBuilder node) {
            OpParameters.Rope rope = node.parameters(OpParameters.Rope.class);
            this.table = RopeTable.of(node);
            this.neighbours = rope.mode() == RopeMode.NORMAL;
            this.first = rope.offset();
            this.rotated = (long) table.entries() * (neighbours ? 1 : 2);
            this.n = node.result().d0;
        }

        /** Rotates rows of floats of one token, which may stay where they are. */
        void rows(long from, long fromStride, long to, long toStride, long rows, long token) {
            if (from != to && rotated < n) {
                keepRest(from, fromStride, to, toStride, rows);
            }
            long off = first * Float.BYTES;
            long cosines = table.cosines(token);
            long sines = table.sines(token);
            if (neighbours) {
                RopeKernels.rotateNeighbours(
                        from + off, fromStride, to + off, toStride, rows, table.entries(), cosines, sines);
            } else {
                RopeKernels.rotateHalves(
                        from + off, fromStride, to + off, toStride, rows, table.entries(), cosines, sines);
            }
        }

        private void keepRest(long from, long fromStride, long to, long toStride, long rows) {
            long before = first * Float.BYTES;
            long rest = (first + rotated) * Float.BYTES;
            for (long row = 0; row < rows; row++) {
                Memory.copy(from + row * fromStride, to + row * toStride, before);
                Memory.copy(from + row * fromStride + rest, to + row * toStride + rest, n * Float.BYTES - rest);
            }
        }
    }

    /** Rows that are stored as floats, all heads of a token at once. */
    private static final class Heads extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.15;

        private final Operand from;
        private final Operand to;
        private final Rotation rotation;

        Heads(NodeBuilder node, Rotation rotation) {
            super(node.result().rows(), node.result().d0 * NANOS_PER_ELEMENT, node.threads());
            this.from = node.operand(0);
            this.to = node.result();
            this.rotation = rotation;
        }

        @Override
        protected void run(long first, long end, int thread) {
            long row = first;
            while (row < end) {
                long heads = Math.min(end - row, to.d1 - row % to.d1);
                rotation.rows(from.row(row), from.s1, to.row(row), to.s1, heads, row / to.d1 % to.d2);
                row += heads;
            }
        }
    }

    /** Rows of other types, one by one. */
    private static final class Rows extends RangeTask {

        private static final double NANOS_PER_ELEMENT = 0.6;

        private final RowSource from;
        private final RowTarget to;
        private final Rotation rotation;
        private final long heads;
        private final long tokens;

        Rows(NodeBuilder node, Rotation rotation) {
            super(node.result().rows(), node.result().d0 * NANOS_PER_ELEMENT, node.threads());
            this.from = RowSource.of(node, node.operand(0));
            this.to = RowTarget.of(node, node.result());
            this.rotation = rotation;
            this.heads = node.result().d1;
            this.tokens = node.result().d2;
        }

        @Override
        protected void run(long first, long end, int thread) {
            for (long row = first; row < end; row++) {
                rotation.rows(from.row(row, thread), 0, to.row(row, thread), 0, 1, row / heads % tokens);
                to.finish(row, thread);
            }
        }
    }
}
