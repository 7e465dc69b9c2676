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

/** RWKV_WKV6, RWKV_WKV7 and GATED_LINEAR_ATTN: a warp for each row or column of a state. */
enum LinearAttentionKernel implements OpKernel {
    /** Sources k, v, r, first, decay, state. */
    WKV6("rwkv_wkv6", 5, 0, 1, 2, 3, 4, -1),
    /** Sources r, w, k, v, a, b, state. */
    WKV7("rwkv_wkv7", 6, 2, 3, 0, 4, 1, 5),
    /** Sources k, v, q, gate, state. */
    GATED("gated_linear_attn", 4, 0, 1, 2, -1, 3, -1);

    private static final int ABSENT = -1;

    private final String kernel;
    private final int stateSlot;
    /** The slots of the parameters of the kernel: k, v, r or q, first or a, decay or gate, b. */
    private final int[] slots;

    LinearAttentionKernel(String kernel, int stateSlot, int... slots) {
        this.kernel = kernel;
        this.stateSlot = stateSlot;
        this.slots = slots;
    }

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
        Launch launch = LineGrid.launch(kernel, size, size * heads * sequences);
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
