package dev.stowage.cuda.op.reduction;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/** CUMSUM: a block for each row. */
final class CumsumKernel implements OpKernel {

    private static final int MOST_THREADS = 1024;
    private static final int WARP = 32;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node).type(0, ElementType.F32).rows().answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor result = step.result();
        out.add(Launch.of("cumsum_f32")
                .grid(result.shape().rows())
                .block(Math.clamp(Math.ceilDiv(result.dim(0), WARP) * WARP, WARP, MOST_THREADS))
                .view(step.operand(0))
                .view(result)
                .dependent());
    }
}
