package dev.stowage.cuda.op.row;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;

/** Rows of a table read and written by number. */
public final class RowFamily {

    private RowFamily() {}

    /** The kernels of the family by op. */
    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.put(Op.GET_ROWS, new GetRowsKernel());
        kernels.put(Op.SET_ROWS, new SetRowsKernel());
        return kernels;
    }
}
