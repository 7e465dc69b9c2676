package dev.stowage.cuda.op.norm;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.op.RowGrid;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.Locale;

/**
 * DIAG_MASK_INF and DIAG_MASK_ZERO.
 *
 * @param value what everything after the diagonal becomes
 */
record DiagMaskKernel(float value) implements OpKernel {

    private static final int MOST_THREADS = 256;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .parameters(OpParameters.DiagMask.class)
                .type(0, ElementType.F32, ElementType.F16, ElementType.BF16)
                .rows()
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Shape shape = step.result().shape();
        String type = step.result().type().name().toLowerCase(Locale.ROOT);
        out.add(RowGrid.of(shape.rows(), shape.d0(), MOST_THREADS, out.gpu())
                .applyTo(Launch.of("diag_mask_" + type))
                .view(step.operand(0))
                .view(step.result())
                .i32(((OpParameters.DiagMask) step.parameters()).past())
                .f32(value)
                .dependent());
    }
}
