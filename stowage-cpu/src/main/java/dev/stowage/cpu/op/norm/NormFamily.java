package dev.stowage.cpu.op.norm;

import dev.stowage.cpu.program.Fusion;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.List;
import java.util.Map;

/** Normalisation, softmax and causal masks. */
public final class NormFamily {

    private NormFamily() {}

    public static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.NORM, new NormOp());
        byOp.put(Op.RMS_NORM, new NormOp());
        byOp.put(Op.L2_NORM, new NormOp());
        byOp.put(Op.GROUP_NORM, new GroupNormOp());
        byOp.put(Op.SOFT_MAX, new SoftMaxOp());
        byOp.put(Op.DIAG_MASK_INF, new DiagonalMaskOp());
        byOp.put(Op.DIAG_MASK_ZERO, new DiagonalMaskOp());
    }

    /** The fusions of this family, in the order in which they are tried. */
    public static List<Fusion> fusions() {
        return List.of(new AddRmsNormFusion(), new RmsNormMulFusion());
    }
}
