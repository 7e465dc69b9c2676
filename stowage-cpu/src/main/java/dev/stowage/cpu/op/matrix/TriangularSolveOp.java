package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.product.TriangularSolveKernels;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.team.RangeTask;
import dev.stowage.tensor.ElementType;

/** SOLVE_TRI: {@code a * x = b} solved from the first row of the triangle down, some columns of {@code x} at a time. */
final class TriangularSolveOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand a = node.operand(0);
        Operand b = node.operand(1);
        boolean floats =
                a.type == ElementType.F32 && b.type == ElementType.F32 && node.result().type == ElementType.F32;
        boolean dense = a.hasDenseRows() && b.hasDenseRows() && node.result().hasDenseRows();
        if (!floats || !dense) {
            return false;
        }
        node.add(new Solve(node, a, b));
        return true;
    }

    /** One item is a block of columns of one matrix. */
    private static final class Solve extends RangeTask {

        private static final double NANOS_PER_PRODUCT = 0.1;

        private final Operand a;
        private final Operand b;
        private final Operand result;
        private final long blocks;

        Solve(NodeBuilder node, Operand a, Operand b) {
            super(
                    Math.ceilDiv(b.d0, TriangularSolveKernels.COLUMNS) * b.d2 * b.d3,
                    a.d0 * a.d0 / 2.0 * TriangularSolveKernels.COLUMNS * NANOS_PER_PRODUCT,
                    node.threads());
            this.a = a;
            this.b = b;
            this.result = node.result();
            this.blocks = Math.ceilDiv(b.d0, TriangularSolveKernels.COLUMNS);
        }

        @Override
        protected void run(long from, long to, int thread) {
            for (long item = from; item < to; item++) {
                long column = item % blocks * TriangularSolveKernels.COLUMNS;
                long i2 = item / blocks % b.d2;
                long i3 = item / blocks / b.d2;
                TriangularSolveKernels.solve(
                        a.at(0, i2, i3),
                        a.s1,
                        b.at(0, i2, i3) + column * Float.BYTES,
                        b.s1,
                        result.at(0, i2, i3) + column * Float.BYTES,
                        result.s1,
                        a.d0,
                        Math.min(TriangularSolveKernels.COLUMNS, b.d0 - column));
            }
        }
    }
}
