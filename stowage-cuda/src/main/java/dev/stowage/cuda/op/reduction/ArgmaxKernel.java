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

/** ARGMAX: a block for each row, or several for each of a few long rows, whose results are then combined. */
final class ArgmaxKernel implements OpKernel {

    private static final int MOST_THREADS = 1024;
    private static final int WARP = 32;
    /** How many elements of a row make a part worth a block of its own. */
    private static final int SMALLEST_PART = 2048;

    private static final int PART_THREADS = 512;
    /** The bytes of what is known about a part, as in the kernel. */
    private static final int PART_BYTES = 16;

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
        long columns = a.dim(0);
        long rows = a.dim(1);
        long parts = Math.min(columns / SMALLEST_PART, out.gpu().multiprocessors() / Math.max(1, rows));
        if (parts > 1) {
            launchParts(step, parts, out);
            return;
        }
        out.add(Launch.of("argmax_f32")
                .grid(rows)
                .block(Math.clamp(Math.ceilDiv(columns, WARP) * WARP, WARP, MOST_THREADS))
                .view(a)
                .view(step.result())
                .dependent());
    }

    private static void launchParts(Step step, long most, LaunchSink out) {
        BoundTensor a = step.operand(0);
        long rows = a.dim(1);
        long size = Math.ceilDiv(a.dim(0), most);
        long parts = Math.ceilDiv(a.dim(0), size);
        Scratch found = out.scratch(rows * parts * PART_BYTES);
        out.add(Launch.of("argmax_parts_f32")
                .grid(parts, rows, 1)
                .block(PART_THREADS)
                .view(a)
                .pointer(found)
                .i32(size)
                .dependent());
        out.add(Launch.of("argmax_combine")
                .grid(rows)
                .block(WARP)
                .pointer(found)
                .i32(parts)
                .view(step.result())
                .dependent());
    }
}
