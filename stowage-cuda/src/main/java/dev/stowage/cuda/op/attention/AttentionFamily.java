package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.unit.QuantizedActivations;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.cuda.program.Scratch;
import dev.stowage.device.Step;
import dev.stowage.memory.BoundTensor;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;

/** Fused attention. */
public final class AttentionFamily {

    private AttentionFamily() {}

    /** The kernels, for any number of programs. */
    public static Map<Op, OpKernel> kernels() {
        return kernels(MaskTiles::classify);
    }

    /**
     * The kernels for one program: a mask that several nodes of it read, as all layers of a model do, is classified
     * before the first of them only.
     */
    public static Map<Op, OpKernel> kernelsOfOneProgram() {
        return kernels(new SharedMaskTiles());
    }

    private static Map<Op, OpKernel> kernels(MaskTiles.Source masks) {
        Map<Op, OpKernel> byOp = new EnumMap<>(Op.class);
        byOp.put(Op.FLASH_ATTN_EXT, new FlashAttention(masks));
        return byOp;
    }

    /**
     * Adds the launch that says for each tile of a mask whether any of its cells is seen, and whether it has anything
     * but zeros: two bytes for each tile, {@code [batches][heads][token tiles][cell tiles]}.
     *
     * @param tokens how many rows of the mask count
     * @param cells how many elements of each row count
     */
    public static Scratch classifyMask(
            LaunchSink out, BoundTensor mask, int tokens, int cells, int tileTokens, int tileCells) {
        return MaskTiles.classify(out, mask, new MaskTiles(tokens, cells, tileTokens, tileCells));
    }

    /**
     * Adds the launches of an attention whose result only products read that take quantised activations: it is
     * published there, without sums of squares, and not stored in its tensor.
     *
     * @return false, and nothing added, if that is not one token over a cache of f16 on Hopper
     */
    public static boolean decodePublished(Step attention, QuantizedActivations target, LaunchSink out) {
        AttentionOperands operands = new AttentionOperands(attention);
        if (!TokenAttention.canPublish(operands, out.gpu())
                || target.vectors() != 1
                || target.k() != (long) operands.heads * operands.valueSize) {
            return false;
        }
        TokenAttention.launch(operands, target.values(), out);
        return true;
    }
}
