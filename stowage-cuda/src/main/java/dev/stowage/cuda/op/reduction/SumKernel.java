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
import java.util.Locale;

/** SUM of all elements: sums of blocks in scratch memory, then their sum. */
final class SumKernel implements OpKernel {

    private static final int THREADS = 512;
    /** Elements of a row that a block sums at a time, as in the kernel. */
    private static final int PIECE = 8192;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .type(0, ElementType.F32, ElementType.F16, ElementType.BF16)
                .require(node.source(0).shape().rows() < Integer.MAX_VALUE, "is for fewer than 2^31 rows")
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor a = step.operand(0);
        String type = a.type().name().toLowerCase(Locale.ROOT);
        long work = a.shape().rows() * Math.ceilDiv(a.dim(0), PIECE);
        long blocks = Math.min(work, 4L * out.gpu().multiprocessors());
        Scratch parts = out.scratch(Math.max(1, blocks) * Float.BYTES);
        // Without elements there are no blocks, and the sum of none is 0.
        if (blocks > 0) {
            out.add(Launch.of("sum_blocks_" + type)
                    .grid(blocks)
                    .block(THREADS)
                    .view(a)
                    .pointer(parts)
                    .dependent());
        }
        out.add(Launch.of("sum_parts_" + type)
                .grid(1)
                .block(THREADS)
                .pointer(parts)
                .i32(blocks)
                .pointer(step.result())
                .dependent());
    }
}
