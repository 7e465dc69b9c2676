package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.kernel.PanelKernels;
import dev.stowage.cpu.op.operand.FloatSource;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.cpu.program.Operand;
import dev.stowage.cpu.program.Scratch;
import dev.stowage.tensor.ElementType;

/**
 * OUT_PROD: {@code result[m, n] = sum over k of a[m, k] * b[n, k]}. The rows of {@code a} are what panels are made of,
 * and {@code b} is transposed before. Takes f32, f16, bf16 and quantised types.
 */
final class OuterProductOp implements OpKernel {

    @Override
    public boolean prepare(NodeBuilder node) {
        Operand result = node.result();
        if (!FloatSource.takesAll(node, 0, 2) || !result.isContiguous() || result.type != ElementType.F32) {
            return false;
        }
        FloatSource a = FloatSource.of(node, 0);
        FloatSource b = FloatSource.of(node, 1);
        Scratch factors = node.scratch(node.operand(1).elements() * Float.BYTES);
        node.add(Transposition.ofEach(b, factors, node.threads()));
        node.add(new Product(node, a, factors));
        return true;
    }

    private static final class Product extends PanelProduct {

        private final FloatSource a;
        private final Scratch factors;
        private final Operand result;
        private final long sharing2;
        private final long sharing3;

        Product(NodeBuilder node, FloatSource a, Scratch factors) {
            super(node, size(node.result(), a.d1, node.threads()));
            this.a = a;
            this.factors = factors;
            this.result = node.result();
            this.sharing2 = result.d2 / a.d2;
            this.sharing3 = result.d3 / a.d3;
        }

        private static Size size(Operand result, long depth, int threads) {
            return Size.of(result.d2 * result.d3, result.d1, result.d0, depth, threads);
        }

        @Override
        protected long rows(long batch) {
            return factors.address() + batch * result.d1 * a.d1 * Float.BYTES;
        }

        @Override
        protected void pack(long batch, long column, int columns, long step, int steps, long panel) {
            long matrix = a.at(step, batch % result.d2 / sharing2, batch / result.d2 / sharing3);
            PanelKernels.pack(matrix + column * Float.BYTES, a.s1, columns, steps, panel, WIDTH);
        }

        @Override
        protected void store(long batch, long row, long column, int columns, long sums, int thread) {
            long to = result.at(row, batch % result.d2, batch / result.d2) + column * Float.BYTES;
            PanelKernels.copy(sums, to, columns);
        }
    }
}
