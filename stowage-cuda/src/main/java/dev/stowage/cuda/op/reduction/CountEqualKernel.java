package dev.stowage.cuda.op.reduction;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/** COUNT_EQUAL: counts of blocks in scratch memory, then their sum. */
final class CountEqualKernel implements OpKernel {

    private static final int THREADS = 256;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .type(0, ElementType.I32)
                .type(1, ElementType.I32)
                .require(node.source(0).shape().rows() < Integer.MAX_VALUE, "is for fewer than 2^31 rows")
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor a = step.operand(0);
        long blocks = Math.min(a.shape().rows(), 4L * out.gpu().multiprocessors());
        Scratch parts = out.scratch(Math.max(1, blocks) * Long.BYTES);
        // Without elements there are no blocks, and the sum of none is 0.
        if (blocks > 0) {
            out.add(Launch.of("count_equal_blocks_i32")
                    .grid(blocks)
                    .block(THREADS)
                    .view(a)
                    .view(step.operand(1))
                    .pointer(parts)
                    .dependent());
        }
        out.add(Launch.of("count_equal_parts")
                .grid(1)
                .block(THREADS)
                .pointer(parts)
                .i32(blocks)
                .pointer(step.result())
                .dependent());
    }
}
