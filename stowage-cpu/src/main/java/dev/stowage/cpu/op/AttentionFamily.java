package dev.stowage.cpu.op;

import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** The kernels of attention. */
final class AttentionFamily {

    private AttentionFamily() {}

    static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.FLASH_ATTN_EXT, new FlashAttentionOp());
        byOp.put(Op.LIGHTNING_INDEXER, new IndexerOp());
    }
}
