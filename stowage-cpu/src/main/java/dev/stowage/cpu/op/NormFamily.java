package dev.stowage.cpu.op;

import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** What brings rows into shape or sums them up: norms, softmax, rotations, sums, sorting. */
final class NormFamily {

    private NormFamily() {}

    static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.NORM, new NormOp());
        byOp.put(Op.RMS_NORM, new NormOp());
        byOp.put(Op.L2_NORM, new NormOp());
        byOp.put(Op.GROUP_NORM, new GroupNormOp());
        byOp.put(Op.SOFT_MAX, new SoftMaxOp());
        byOp.put(Op.ROPE, new RopeOp());
        byOp.put(Op.ROPE_BACK, new RopeOp());
        byOp.put(Op.DIAG_MASK_INF, new DiagonalMaskOp());
        byOp.put(Op.DIAG_MASK_ZERO, new DiagonalMaskOp());
        byOp.put(Op.SUM, SumOps::sum);
        byOp.put(Op.SUM_ROWS, SumOps::ofRows);
        byOp.put(Op.MEAN, SumOps::ofRows);
        byOp.put(Op.CUMSUM, SumOps::cumulated);
        byOp.put(Op.COUNT_EQUAL, SumOps::countEqual);
        byOp.put(Op.ARGMAX, OrderOps::argmax);
        byOp.put(Op.ARGSORT, OrderOps::argsort);
        byOp.put(Op.TOP_K, OrderOps::topK);
    }
}
