package dev.stowage.cuda.op.sequence;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;

/** The kernels of layers with a state, of hyper-connections, of the choice of keys, and of triangular systems. */
public final class SequenceFamily {

    private SequenceFamily() {}

    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.put(Op.SSM_CONV, new SsmConvKernel());
        kernels.put(Op.SSM_SCAN, new SsmScanKernel());
        kernels.put(Op.RWKV_WKV6, LinearAttentionKernel.WKV6);
        kernels.put(Op.RWKV_WKV7, LinearAttentionKernel.WKV7);
        kernels.put(Op.GATED_LINEAR_ATTN, LinearAttentionKernel.GATED);
        kernels.put(Op.GATED_DELTA_NET, new GatedDeltaNetKernel());
        kernels.put(Op.SOLVE_TRI, new SolveTriKernel());
        kernels.put(Op.DSV4_HC_COMB, HyperConnectionKernel.COMB);
        kernels.put(Op.DSV4_HC_PRE, HyperConnectionKernel.PRE);
        kernels.put(Op.DSV4_HC_POST, HyperConnectionKernel.POST);
        kernels.put(Op.LIGHTNING_INDEXER, new LightningIndexerKernel());
        return kernels;
    }
}
