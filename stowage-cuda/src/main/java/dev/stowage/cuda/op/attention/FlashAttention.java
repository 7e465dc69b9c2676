package dev.stowage.cuda.op.attention;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/**
 * {@link Op#FLASH_ATTN_EXT}: small models by {@link ShortAttention}, few queries by {@link TokenAttention} or {@link
 * DecodeAttention}, prompts by {@link HopperAttention} or {@link MmaAttention}, and what none of these takes by {@link
 * GenericAttention}.
 */
final class FlashAttention implements OpKernel {

    private final MaskTiles.Source masks;

    FlashAttention(MaskTiles.Source masks) {
        this.masks = masks;
    }

    @Override
    public OpSupport supports(Tensor node, Gpu gpu) {
        if (node.source(0).type() != ElementType.F32) {
            return OpSupport.no(
                    "queries of attention must be f32, not " + node.source(0).type());
        }
        for (int slot = 1; slot <= 2; slot++) {
            if (!GenericAttention.canRead(node.source(slot).type())) {
                return OpSupport.no(
                        "attention cannot read a cache of " + node.source(slot).type());
            }
        }
        if (node.hasSource(3) && !isPlain(node.source(3), ElementType.F16)) {
            return OpSupport.no("the mask of attention must be f16 without gaps");
        }
        if (node.hasSource(4) && !isPlain(node.source(4), ElementType.F32)) {
            return OpSupport.no("the sinks of attention must be f32 without gaps");
        }
        if (node.type() != ElementType.F32) {
            return OpSupport.no("the result of attention must be f32, not " + node.type());
        }
        return sizes(node, gpu);
    }

    private static OpSupport sizes(Tensor node, Gpu gpu) {
        Tensor k = node.source(1);
        if (!GenericAttention.fits(k.dim(0), node.dim(0), gpu)) {
            return OpSupport.no(
                    "heads of " + k.dim(0) + " and " + node.dim(0) + " elements do not fit into the shared memory");
        }
        long rows = node.dim(1) * node.dim(2) * node.dim(3);
        if (rows > Integer.MAX_VALUE || k.dim(1) > Integer.MAX_VALUE || node.dim(3) > GridLimits.MOST_Z) {
            return OpSupport.no("attention is for fewer than 2^31 queries and cells and for up to 65535 batches");
        }
        return OpSupport.yes();
    }

    private static boolean isPlain(Tensor tensor, ElementType type) {
        return tensor.type() == type && tensor.layout().isContiguous();
    }

    @Override
    public void launch(Step step, LaunchSink out) {
        AttentionOperands operands = new AttentionOperands(step);
        Gpu gpu = out.gpu();
        if (ShortAttention.suits(operands)) {
            ShortAttention.launch(operands, out);
        } else if (TokenAttention.suits(operands, gpu)) {
            TokenAttention.launch(operands, null, out);
        } else if (DecodeAttention.suits(operands)) {
            DecodeAttention.launch(operands, out);
        } else if (HopperAttention.suits(operands, gpu)) {
            HopperAttention.launch(operands, masks, out);
        } else if (MmaAttention.suits(operands, gpu)) {
            MmaAttention.launch(operands, masks, out);
        } else {
            GenericAttention.launch(operands, out);
        }
    }
}
