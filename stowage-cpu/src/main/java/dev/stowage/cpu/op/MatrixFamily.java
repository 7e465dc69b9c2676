package dev.stowage.cpu.op;

import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** The kernels of this family. */
final class MatrixFamily {

    private MatrixFamily() {}

    static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.MUL_MAT, new MulMatOp());
        byOp.put(Op.MUL_MAT_ID, new MulMatIdOp());
    }
}
