package dev.stowage.reference.kernel.matrix;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.reference.kernel.DoubleArithmeticKernel;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.TriangleKind;
import java.util.Map;

/** Matrices (dimensions 0 and 1) made from a diagonal, or with one side of it replaced. */
final class DiagonalKernels {

    private DiagonalKernels() {}

    static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.DIAG, new DoubleArithmeticKernel(DiagonalKernels::diag));
        kernels.put(Op.TRI, DiagonalKernels::tri);
        kernels.put(Op.DIAG_MASK_ZERO, new DoubleArithmeticKernel(step -> mask(step, 0)));
        kernels.put(Op.DIAG_MASK_INF, new InfiniteMask());
    }

    private static void diag(Step step) {
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Elements.forEachRow(result.shape(), (i1, i2, i3) -> {
            double[] row = new double[Math.toIntExact(result.shape().d0())];
            row[Math.toIntExact(i1)] = a.get(i1, 0, i2, i3);
            result.setRow(i1, i2, i3, row);
        });
    }

    private static void tri(Step step) {
        TriangleKind kind = Parameters.of(step, OpParameters.Tri.class).kind();
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Elements.forEach(result.shape(), (i0, i1, i2, i3) -> {
            boolean kept = switch (kind) {
                case UPPER_DIAG -> i0 >= i1;
                case UPPER -> i0 > i1;
                case LOWER_DIAG -> i0 <= i1;
                case LOWER -> i0 < i1;
            };
            result.set(i0, i1, i2, i3, kept ? a.get(i0, i1, i2, i3) : 0);
        });
    }

    /** In row {@code i}, everything after column {@code past + i} becomes that value. */
    private static void mask(Step step, double value) {
        long past = Parameters.of(step, OpParameters.DiagMask.class).past();
        Elements a = Elements.of(step.operand(0));
        Elements result = Elements.of(step.result());
        Elements.forEachRow(result.shape(), (i1, i2, i3) -> {
            double[] row = a.row(i1, i2, i3);
            for (long i0 = past + i1 + 1; i0 < row.length; i0++) {
                row[(int) i0] = value;
            }
            result.setRow(i1, i2, i3, row);
        });
    }

    private static final class InfiniteMask implements Kernel {

        @Override
        public void compute(Step step) {
            mask(step, Double.NEGATIVE_INFINITY);
        }

        @Override
        public OpSupport supports(Tensor node) {
            return node.type().isFloat()
                    ? OpSupport.yes()
                    : OpSupport.no("there is no minus infinity among the elements of " + node.type());
        }
    }
}
