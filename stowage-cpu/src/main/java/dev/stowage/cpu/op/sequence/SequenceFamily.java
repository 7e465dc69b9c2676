package dev.stowage.cpu.op.sequence;

import dev.stowage.cpu.program.GuardedKernel;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** Recurrent layers, which carry a state from token to token, and hyper-connections. */
public final class SequenceFamily {

    private SequenceFamily() {}

    public static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.SSM_CONV, new GuardedKernel(new SsmConvOp()));
        byOp.put(Op.SSM_SCAN, new GuardedKernel(new SsmScanOp()));
        byOp.put(Op.RWKV_WKV6, new GuardedKernel(LinearAttentionOp.wkv6()));
        byOp.put(Op.RWKV_WKV7, new GuardedKernel(LinearAttentionOp.wkv7()));
        byOp.put(Op.GATED_LINEAR_ATTN, new GuardedKernel(LinearAttentionOp.linearAttention()));
        byOp.put(Op.GATED_DELTA_NET, new GuardedKernel(new DeltaNetOp()));
        byOp.put(Op.DSV4_HC_COMB, new GuardedKernel(HyperConnectionOpKernels.COMB));
        byOp.put(Op.DSV4_HC_PRE, new GuardedKernel(HyperConnectionOpKernels.PRE));
        byOp.put(Op.DSV4_HC_POST, new GuardedKernel(HyperConnectionOpKernels.POST));
    }
}
