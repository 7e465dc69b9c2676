package dev.stowage.cpu.op;

import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/**
 * Layers that carry something from token to token or stream to stream, products with triangles, the caller's own ops.
 */
final class SequenceFamily {

    private SequenceFamily() {}

    static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.SSM_CONV, new Supported(new StateConvolutionOp()));
        byOp.put(Op.SSM_SCAN, new Supported(new StateScanOp()));
        byOp.put(Op.RWKV_WKV6, new Supported(HeadScanOp.wkv6()));
        byOp.put(Op.RWKV_WKV7, new Supported(HeadScanOp.wkv7()));
        byOp.put(Op.GATED_LINEAR_ATTN, new Supported(HeadScanOp.linearAttention()));
        byOp.put(Op.GATED_DELTA_NET, new Supported(new DeltaNetOp()));
        byOp.put(Op.SOLVE_TRI, new Supported(new TriangleSolverOp()));
        byOp.put(Op.OUT_PROD, new Supported(new OuterProductOp()));
        byOp.put(Op.DSV4_HC_COMB, new Supported(StreamOps.COMB));
        byOp.put(Op.DSV4_HC_PRE, new Supported(StreamOps.PRE));
        byOp.put(Op.DSV4_HC_POST, new Supported(StreamOps.POST));
        OpKernel custom = new CustomOps();
        byOp.put(Op.MAP_CUSTOM1, custom);
        byOp.put(Op.MAP_CUSTOM2, custom);
        byOp.put(Op.MAP_CUSTOM3, custom);
        byOp.put(Op.CUSTOM, custom);
    }
}
