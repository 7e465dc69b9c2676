package dev.stowage.cpu.op.attention;

import dev.stowage.cpu.program.GuardedKernel;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** The kernels of attention. */
public final class AttentionFamily {

    private AttentionFamily() {}

    public static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.FLASH_ATTN_EXT, new FlashAttentionOp());
        byOp.put(Op.LIGHTNING_INDEXER, new IndexerOp());
        byOp.put(Op.GET_REL_POS, new GuardedKernel(RelativePositionOps.GET));
        byOp.put(Op.ADD_REL_POS, new GuardedKernel(RelativePositionOps.ADD));
    }
}
