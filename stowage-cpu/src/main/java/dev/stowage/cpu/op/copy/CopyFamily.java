package dev.stowage.cpu.op.copy;

import dev.stowage.cpu.program.GuardedKernel;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** The kernels of ops that put elements into other places or other types, and of those that make them from nothing. */
public final class CopyFamily {

    private CopyFamily() {}

    public static void addTo(Map<Op, OpKernel> byOp) {
        OpKernel copy = new GuardedKernel(new CopyOp());
        byOp.put(Op.DUP, copy);
        byOp.put(Op.CPY, copy);
        byOp.put(Op.CONT, copy);
        byOp.put(Op.GET_ROWS, new GuardedKernel(new GetRowsOp()));
        byOp.put(Op.SET_ROWS, new GuardedKernel(new SetRowsOp()));
        byOp.put(Op.SET, new GuardedKernel(new RegionOp(false)));
        byOp.put(Op.ACC, new GuardedKernel(new RegionOp(true)));
        byOp.put(Op.CONCAT, new GuardedKernel(new ConcatOp()));
        byOp.put(Op.REPEAT, new GuardedKernel(new RepeatOp()));
        PadOps.addTo(byOp);
        DiagonalOps.addTo(byOp);
        GeneratorOpKernels.addTo(byOp);
    }
}
