package dev.stowage.cuda.op.reduction;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;

/** The kernels of sums, means, counts, and the place of the largest element. */
public final class ReductionFamily {

    private ReductionFamily() {}

    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.put(Op.SUM, new SumKernel());
        kernels.put(Op.SUM_ROWS, new RowSumKernel(false));
        kernels.put(Op.MEAN, new RowSumKernel(true));
        kernels.put(Op.CUMSUM, new CumsumKernel());
        kernels.put(Op.ARGMAX, new ArgmaxKernel());
        kernels.put(Op.COUNT_EQUAL, new CountEqualKernel());
        return kernels;
    }
}
