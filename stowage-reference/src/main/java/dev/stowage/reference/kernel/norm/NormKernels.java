package dev.stowage.reference.kernel.norm;

import static java.lang.Math.sqrt;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.DoubleArithmeticKernel;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.RowwiseKernel;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import java.util.Arrays;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Rows brought to mean 0, length 1 or both; the groups of channels are in {@link GroupNormKernel}. */
public final class NormKernels {

    private NormKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.NORM, new RowwiseKernel(NormKernels::norm));
        kernels.put(Op.RMS_NORM, new RowwiseKernel(NormKernels::rmsNorm));
        kernels.put(Op.L2_NORM, new RowwiseKernel(NormKernels::l2Norm));
        kernels.put(Op.GROUP_NORM, new DoubleArithmeticKernel(new GroupNormKernel()));
    }

    private static UnaryOperator<double[]> norm(Step step) {
        double epsilon = epsilon(step);
        return row -> centred(row, epsilon);
    }

    /** {@code (x - mean) / sqrt(variance + epsilon)}. */
    static double[] centred(double[] values, double epsilon) {
        double mean = Arrays.stream(values).sum() / values.length;
        double[] off = Arrays.stream(values).map(x -> x - mean).toArray();
        double variance = sumOfSquares(off) / off.length;
        return divided(off, sqrt(variance + epsilon));
    }

    private static UnaryOperator<double[]> rmsNorm(Step step) {
        double epsilon = epsilon(step);
        return row -> divided(row, sqrt(sumOfSquares(row) / row.length + epsilon));
    }

    /** The length of a row with NaN counts as {@code epsilon}, as in ggml. */
    private static UnaryOperator<double[]> l2Norm(Step step) {
        double epsilon = epsilon(step);
        return row -> {
            double length = sqrt(sumOfSquares(row));
            return divided(row, length > epsilon ? length : epsilon);
        };
    }

    private static double epsilon(Step step) {
        return Parameters.of(step, OpParameters.Norm.class).epsilon();
    }

    private static double sumOfSquares(double[] values) {
        return Arrays.stream(values).map(x -> x * x).sum();
    }

    private static double[] divided(double[] values, double by) {
        return Arrays.stream(values).map(x -> x / by).toArray();
    }
}
