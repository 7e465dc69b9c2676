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

/** ARGMAX: a block for each row. */
final class ArgmaxKernel implements OpKernel {

    private static final int MOST_THREADS = 1024;
    private static final int WARP = 32;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .type(0, ElementType.F32)
                .result(ElementType.I32)
                .operands()
                .require(node.source(0).shape().isMatrix(), "is for matrices only")
                .require(node.source(0).dim(1) < Integer.MAX_VALUE, "is for fewer than 2^31 rows")
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor a = step.operand(0);
        out.add(Launch.of("argmax_f32")
                .grid(a.dim(1))
                .block(Math.clamp(Math.ceilDiv(a.dim(0), WARP) * WARP, WARP, MOST_THREADS))
                .view(a)
                .view(step.result())
                .dependent());
    }
}
