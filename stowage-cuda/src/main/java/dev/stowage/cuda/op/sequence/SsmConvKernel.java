package dev.stowage.cuda.op.sequence;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;

/** SSM_CONV: a thread for each element of the result. */
final class SsmConvKernel implements OpKernel {

    private static final int THREADS = 128;
    private static final long MOST_BLOCKS = 65535;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .type(0, ElementType.F32)
                .type(1, ElementType.F32)
                .operands()
                .require(node.dim(0) < Integer.MAX_VALUE, "is for fewer than 2^31 rows")
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        Shape shape = step.result().shape();
        out.add(Launch.of("ssm_conv_f32")
                .grid(
                        Math.ceilDiv(shape.d0(), THREADS),
                        Math.min(shape.d1(), MOST_BLOCKS),
                        Math.min(shape.d2(), MOST_BLOCKS))
                .block(THREADS)
                .view(step.operand(0))
                .view(step.operand(1))
                .view(step.result())
                .dependent());
    }
}
