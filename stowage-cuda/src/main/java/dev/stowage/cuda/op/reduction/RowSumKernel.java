package dev.stowage.cuda.op.reduction;

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
import dev.stowage.tensor.Tensor;
import java.util.Locale;

/**
 * SUM_ROWS, whose result has the type of the operand, and MEAN, whose result is f32.
 *
 * @param isMean whether sums are divided by the length of a row
 */
record RowSumKernel(boolean isMean) implements OpKernel {

    private static final int MOST_THREADS = 1024;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .type(0, ElementType.F32, ElementType.F16, ElementType.BF16)
                .operands()
                .rows()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor a = step.operand(0);
        // The kernel for f32 serves both, as the operand has the type of the result.
        boolean isOther = isMean && a.type() != ElementType.F32;
        String kernel = (isOther ? "mean_rows_" : "sum_rows_") + a.type().name().toLowerCase(Locale.ROOT);
        out.add(RowGrid.of(a.shape().rows(), a.dim(0), MOST_THREADS, out.gpu())
                .applyTo(Launch.of(kernel))
                .view(a)
                .view(step.result())
                .f32(isMean ? (float) a.dim(0) : 1f)
                .dependent());
    }
}
