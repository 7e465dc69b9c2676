package dev.stowage.cuda.op.sequence;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.Requirements;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.Launch;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.util.List;

/**
 * RWKV_WKV6, RWKV_WKV7 and GATED_LINEAR_ATTN: a warp for each row or column of a state.
 *
 * @param name what the names of the kernels begin with
 * @param stateSlot the operand with the states, the last one
 * @param slots the operands of the parameters of the kernel: k, v, r or q, first or a, decay or gate, b
 */
record LinearAttentionKernel(String name, int stateSlot, List<Integer> slots) implements OpKernel {

    private static final int ABSENT = -1;

    /** Operands k, v, r, first, decay, state. */
    static final OpKernel WKV6 = new LinearAttentionKernel("rwkv_wkv6", 5, List.of(0, 1, 2, 3, 4, ABSENT));

    /** Operands r, w, k, v, a, b, state. */
    static final OpKernel WKV7 = new LinearAttentionKernel("rwkv_wkv7", 6, List.of(2, 3, 0, 4, 1, 5));

    /** Operands k, v, q, gate, state. */
    static final OpKernel GATED =
            new LinearAttentionKernel("gated_linear_attn", 4, List.of(0, 1, 2, ABSENT, 3, ABSENT));

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        Requirements requirements = Requirements.of(node).operands();
        for (int slot = 0; slot <= stateSlot; slot++) {
            requirements
                    .type(slot, ElementType.F32)
                    .require(node.source(slot).layout().isContiguous(), "is for operands without gaps only");
        }
        long size = node.source(0).dim(0);
        long heads = node.source(0).dim(1);
        long tokens = node.source(0).dim(2);
        long sequences = node.source(stateSlot).dim(1);
        return requirements
                .require(
                        sequences > 0 && tokens % sequences == 0,
                        "has " + tokens + " tokens, which cannot be shared out evenly to " + sequences + " sequences")
                .require(
                        node.op() != Op.RWKV_WKV6 || node.source(3).shape().elements() >= size * heads,
                        "needs a weight of the first token for each element of each head")
                .require(size <= LineGrid.LONGEST, "is for heads of at most " + LineGrid.LONGEST + " elements")
                .require(LineGrid.hasBlocksFor(size * heads * sequences), "has too many rows of states")
                .answer();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        BoundTensor first = step.operand(0);
        long size = first.dim(0);
        long heads = first.dim(1);
        long sequences = step.operand(stateSlot).dim(1);
        Launch launch = LineGrid.launch(name, size, size * heads * sequences);
        for (int slot : slots) {
            if (slot == ABSENT) {
                launch.pointer(0);
            } else {
                launch.pointer(step.operand(slot));
            }
        }
        out.add(launch.pointer(step.operand(stateSlot))
                .pointer(step.result())
                .i32(size)
                .i32(heads)
                .i64(first.dim(2))
                .i32(sequences)
                .f32(step.parameters() instanceof OpParameters.GatedLinearAttention gated ? gated.scale() : 1f)
                .dependent());
    }
}
