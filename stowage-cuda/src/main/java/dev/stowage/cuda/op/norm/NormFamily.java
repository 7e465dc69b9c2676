package dev.stowage.cuda.op.norm;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.program.LaunchSink;
import dev.stowage.device.Step;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;

/** The kernels of rows: norms, softmax, and masks of a diagonal; and RMS norms fused with their neighbours. */
public final class NormFamily {

    private NormFamily() {}

    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.put(Op.NORM, new RowNormKernel("norm"));
        kernels.put(Op.RMS_NORM, new RowNormKernel("rms_norm"));
        kernels.put(Op.L2_NORM, new RowNormKernel("l2_norm"));
        kernels.put(Op.GROUP_NORM, new GroupNormKernel());
        kernels.put(Op.SOFT_MAX, new SoftMaxKernel());
        kernels.put(Op.DIAG_MASK_INF, new DiagMaskKernel(Float.NEGATIVE_INFINITY));
        kernels.put(Op.DIAG_MASK_ZERO, new DiagMaskKernel(0f));
        return kernels;
    }

    /**
     * Whether {@link #rmsNormMul} computes an RMS_NORM and a MUL of its result with a weight. That nothing else reads
     * the result of the norm, which is not written, is for the caller to know.
     */
    public static boolean canFuseRmsNormMul(Step norm, Step mul) {
        return FusedRmsNorm.canFuse(norm, mul);
    }

    /** Adds one launch for an RMS_NORM and a MUL of its result with a weight; the result of the norm is not written. */
    public static void rmsNormMul(Step norm, Step mul, LaunchSink out) {
        FusedRmsNorm.launch(norm, mul, out);
    }

    /**
     * Whether {@link #addRmsNormMul} computes an ADD, the RMS_NORM of the sum and a MUL of that with a weight. That
     * nothing else reads the result of the norm, which is not written, is for the caller to know.
     */
    public static boolean canFuseAddRmsNormMul(Step add, Step norm, Step mul) {
        return FusedRmsNorm.canFuse(add, norm, mul);
    }

    /** Adds one launch for an ADD, whose sum is written, the RMS_NORM of the sum, and a MUL of that with a weight. */
    public static void addRmsNormMul(Step add, Step norm, Step mul, LaunchSink out) {
        FusedRmsNorm.launch(add, norm, mul, out);
    }
}
