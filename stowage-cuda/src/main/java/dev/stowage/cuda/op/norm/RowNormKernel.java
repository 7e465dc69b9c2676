package dev.stowage.cuda.op.norm;

import dev.stowage.cuda.op.Memory;
import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.RowGrid;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.util.Locale;

/**
 * NORM, RMS_NORM and L2_NORM of rows of any length and strides.
 *
 * @param name what the names of the kernels begin with
 */
record RowNormKernel(String name) implements OpKernel {

    /** The kernels keep so much in registers that larger blocks would not fit. */
    static final int MOST_THREADS = 512;

    /** Elements that a thread reads at once where rows are aligned. */
    static final int VECTOR = 4;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .parameters(OpParameters.Norm.class)
                .type(0, ElementType.F32, ElementType.F16, ElementType.BF16)
                .rows()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor a = step.operand(0);
        BoundTensor result = step.result();
        boolean isVector = a.type() == ElementType.F32 && Memory.hasVectorRows(a) && Memory.hasVectorRows(result);
        String kernel = name + "_" + a.type().name().toLowerCase(Locale.ROOT) + (isVector ? "x4" : "");
        long steps = result.dim(0) / (isVector ? VECTOR : 1);
        out.add(RowGrid.of(result.shape().rows(), steps, MOST_THREADS, out.gpu())
                .applyTo(Launch.of(kernel))
                .view(a)
                .view(result)
                .f32(epsilon(step))
                .dependent());
    }

    static float epsilon(Step step) {
        return ((OpParameters.Norm) step.parameters()).epsilon();
    }
}
