package dev.stowage.cuda.op.sort;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;

/** The kernels of sorting: the places of the elements of rows in sorted order, all of them or the first. */
public final class SortFamily {

    private SortFamily() {}

    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.put(Op.ARGSORT, new SortKernel());
        kernels.put(Op.TOP_K, new TopKernel(new SortKernel()));
        return kernels;
    }
}
