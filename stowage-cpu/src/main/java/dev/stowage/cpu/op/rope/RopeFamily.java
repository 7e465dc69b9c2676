package dev.stowage.cpu.op.rope;

import dev.stowage.cpu.program.Fusion;
import dev.stowage.cpu.program.OpKernel;
import dev.stowage.tensor.Op;
import java.util.List;
import java.util.Map;

/** Rotary position embeddings. */
public final class RopeFamily {

    private RopeFamily() {}

    public static void addTo(Map<Op, OpKernel> byOp) {
        byOp.put(Op.ROPE, new RopeOp());
        byOp.put(Op.ROPE_BACK, new RopeOp());
    }

    /** The fusions of this family, in the order in which they are tried. */
    public static List<Fusion> fusions() {
        return List.of(new RopeSetRowsFusion());
    }
}
