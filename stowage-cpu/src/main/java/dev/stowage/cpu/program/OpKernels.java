package dev.stowage.cpu.program;

import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;

/** The kernel of every op that has one. */
public final class OpKernels {

    private static final OpKernel NONE = node -> false;

    private final Map<Op, OpKernel> byOp;

    /** These kernels; all other ops go to the reference. */
    public OpKernels(Map<Op, OpKernel> byOp) {
        this.byOp = byOp.isEmpty() ? new EnumMap<>(Op.class) : new EnumMap<>(byOp);
    }

    /** The kernel of an op; one that takes nothing where there is none. */
    public OpKernel of(Op op) {
        return byOp.getOrDefault(op, NONE);
    }
}
