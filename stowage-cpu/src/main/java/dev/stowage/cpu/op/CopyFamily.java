package dev.stowage.cpu.op;

import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.Map;

/** The kernels of ops that put elements into other places or other types, and of those that make them from nothing. */
final class CopyFamily {

    private CopyFamily() {}

    static void addTo(Map<Op, OpKernel> byOp) {
        OpKernel copy = new Supported(new CopyOp());
        byOp.put(Op.DUP, copy);
        byOp.put(Op.CPY, copy);
        byOp.put(Op.CONT, copy);
        byOp.put(Op.GET_ROWS, new Supported(new GetRowsOp()));
        byOp.put(Op.SET_ROWS, new Supported(new SetRowsOp()));
        byOp.put(Op.SET, new Supported(new RegionOp(false)));
        byOp.put(Op.ACC, new Supported(new RegionOp(true)));
        byOp.put(Op.CONCAT, new Supported(new ConcatOp()));
        byOp.put(Op.REPEAT, new Supported(new RepeatOp()));
        FrameOps.addTo(byOp);
        DiagonalOps.addTo(byOp);
        GeneratorOps.addTo(byOp);
    }
}
