package dev.stowage.cuda.op.rope;

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

/** ADD_REL_POS: a thread for each score. */
final class AddRelPosKernel implements OpKernel {

    private static final int THREADS = 256;

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        return Requirements.of(node)
                .type(0, ElementType.F32)
                .type(1, ElementType.F32)
                .type(2, ElementType.F32)
                .require(
                        node.layout().isContiguous()
                                && node.source(0).layout().isContiguous()
                                && node.source(1).layout().isContiguous()
                                && node.source(2).layout().isContiguous(),
                        "is for operands without gaps only")
                .require(
                        node.shape().elements() < (long) THREADS * Integer.MAX_VALUE,
                        "has more elements than a grid has threads")
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor result = step.result();
        long elements = result.shape().elements();
        out.add(Launch.of("add_rel_pos_f32")
                .grid(Math.ceilDiv(elements, THREADS))
                .block(THREADS)
                .pointer(step.operand(0))
                .pointer(step.operand(1))
                .pointer(step.operand(2))
                .pointer(result)
                .i64(step.operand(1).dim(0))
                .i64(result.dim(1))
                .i64(result.dim(2))
                .i64(elements)
                .dependent());
    }
}
