package dev.stowage.cpu.op.matrix;

import dev.stowage.cpu.program.GuardedKernel;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** Products of matrices, and triangular systems. */
public final class MatrixFamily {

    private MatrixFamily() {}

    public static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.MUL_MAT, new MulMatOp());
        byOp.put(Op.MUL_MAT_ID, new MulMatIdOp());
        byOp.put(Op.OUT_PROD, new GuardedKernel(new OuterProductOp()));
        byOp.put(Op.SOLVE_TRI, new GuardedKernel(new TriangularSolveOp()));
    }
}
