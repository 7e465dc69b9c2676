package dev.stowage.reference.kernel.elementwise;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.DoubleArithmeticKernel;
import dev.stowage.reference.kernel.Elements;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.RowIndices;
import dev.stowage.reference.kernel.RowwiseKernel;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/** Ops that compute each element from the elements of the operands at the same place. */
public final class ElementwiseKernels {

    private ElementwiseKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.ADD, new BinaryKernel((a, b) -> a + b, (a, b) -> a + b));
        kernels.put(Op.SUB, new BinaryKernel((a, b) -> a - b, (a, b) -> a - b));
        kernels.put(Op.MUL, new BinaryKernel((a, b) -> a * b, (a, b) -> a * b));
        kernels.put(Op.DIV, new BinaryKernel((a, b) -> a / b, (a, b) -> a / b));
        kernels.put(Op.ADD1, new BinaryKernel((a, b) -> a + b, (a, b) -> a + b));
        kernels.put(Op.ADD_ID, new DoubleArithmeticKernel(ElementwiseKernels::addRowsById));
        kernels.put(Op.SQR, RowwiseKernel.ofEach(x -> x * x));
        kernels.put(Op.SQRT, RowwiseKernel.ofEach(Math::sqrt));
        kernels.put(Op.LOG, RowwiseKernel.ofEach(Math::log));
        kernels.put(Op.SIN, RowwiseKernel.ofEach(Math::sin));
        kernels.put(Op.COS, RowwiseKernel.ofEach(Math::cos));
        kernels.put(Op.SCALE, RowwiseKernel.ofEachGiven(ElementwiseKernels::scaling));
        kernels.put(Op.CLAMP, RowwiseKernel.ofEachGiven(ElementwiseKernels::clamping));
        kernels.put(Op.LEAKY_RELU, RowwiseKernel.ofEachGiven(ElementwiseKernels::leaking));
    }

    private static DoubleUnaryOperator scaling(Step step) {
        OpParameters.Scale by = Parameters.of(step, OpParameters.Scale.class);
        return x -> x * by.scale() + by.bias();
    }

    /** NaN becomes the upper bound, as in ggml. */
    private static DoubleUnaryOperator clamping(Step step) {
        OpParameters.Clamp to = Parameters.of(step, OpParameters.Clamp.class);
        return x -> {
            double bounded = x < to.max() ? x : to.max();
            return bounded > to.min() ? bounded : to.min();
        };
    }

    /** NaN becomes zero, as in ggml. */
    private static DoubleUnaryOperator leaking(Step step) {
        double slope = Parameters.of(step, OpParameters.LeakyRelu.class).slope();
        return x -> x > 0 ? x : x < 0 ? x * slope : 0;
    }

    /** {@code result[:, e, t] = a[:, e, t] + b[:, ids[e, t]]}; the same ids serve all of dimension 3. */
    private static void addRowsById(Step step) {
        Elements a = Elements.of(step.operand(0));
        // The result may share the memory of b, and then its rows are overwritten while they are still being picked.
        Elements b = Elements.copyOf(step.operand(1));
        RowIndices ids = RowIndices.of(step.operand(2), step.operand(1));
        Elements result = Elements.of(step.result());
        Elements.forEachRow(result.shape(), (i1, i2, i3) -> {
            double[] row = a.row(i1, i2, i3);
            long id = ids.get(i1, i2, 0);
            for (int i0 = 0; i0 < row.length; i0++) {
                row[i0] += b.get(i0, id, 0, 0);
            }
            result.setRow(i1, i2, i3, row);
        });
    }
}
