package dev.stowage.cuda.op.copy;

import dev.stowage.cuda.op.OpKernel;
import dev.stowage.tensor.Op;
import java.util.EnumMap;
import java.util.Map;

/** Copies, casts, writes into regions, repetitions, and elements that come from a formula. */
public final class CopyFamily {

    private CopyFamily() {}

    /** The kernels of the family by op. */
    public static Map<Op, OpKernel> kernels() {
        Map<Op, OpKernel> kernels = new EnumMap<>(Op.class);
        kernels.put(Op.DUP, new CopyKernel());
        kernels.put(Op.CPY, new CopyKernel());
        kernels.put(Op.CONT, new CopyKernel());
        kernels.put(Op.SET, new RegionKernel(false));
        kernels.put(Op.ACC, new RegionKernel(true));
        kernels.put(Op.REPEAT, new RepeatKernel());
        kernels.put(Op.CONCAT, new ConcatKernel());
        kernels.put(Op.ARANGE, new ArangeKernel());
        kernels.put(Op.TIMESTEP_EMBEDDING, new TimestepEmbeddingKernel());
        kernels.put(Op.TRI, new TriKernel());
        kernels.put(Op.DIAG, new DiagKernel());
        return kernels;
    }
}
