package dev.stowage.cuda.op.matrix;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;

/** Products of matrices whose operands are in plain layouts, as ggml has them. */
public final class MatrixFamily {

    private MatrixFamily() {}

    /** The kernels of this family by op. */
    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.put(Op.MUL_MAT, new MulMat());
        kernels.put(Op.MUL_MAT_ID, new MulMatId());
        kernels.put(Op.OUT_PROD, new OutProd());
        return kernels;
    }
}
