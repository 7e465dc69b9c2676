package dev.stowage.cpu.op.reduction;

import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** Reductions of rows, and sorting. */
public final class ReductionFamily {

    private ReductionFamily() {}

    public static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.SUM, SumOps::sum);
        byOp.put(Op.SUM_ROWS, SumOps::ofRows);
        byOp.put(Op.MEAN, SumOps::ofRows);
        byOp.put(Op.CUMSUM, SumOps::cumulated);
        byOp.put(Op.COUNT_EQUAL, SumOps::countEqual);
        byOp.put(Op.ARGMAX, SortOps::argmax);
        byOp.put(Op.ARGSORT, SortOps::argsort);
        byOp.put(Op.TOP_K, SortOps::topK);
    }
}
