package dev.stowage.cuda.op.unit;

import dev.stowage.cuda.memory.RepackedBuffer;
import dev.stowage.cuda.memory.RepackedType;
import dev.stowage.cuda.op.OpKernel;
import dev.stowage.cuda.op.matrix.HalfWeights;
import dev.stowage.cuda.program.Gpu;
import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Products whose first operand is stored in units. */
public final class UnitFamily {

    private static final Map<Op, OpKernel> KERNELS = new EnumMap<>(Map.of(
            Op.MUL_MAT, new UnitMulMat(),
            Op.MUL_MAT_ID, new UnitMulMatId()));

    private UnitFamily() {}

    /** The kernels of this family by op, for nodes whose first operand is stored in units. */
    public static Map<Op, OpKernel> kernels() {
        return new EnumMap<>(KERNELS);
    }

    /** Whether an operand of a node is stored in units. */
    public static boolean concerns(Tensor node) {
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot) && isInUnits(node.source(slot))) {
                return true;
            }
        }
        return false;
    }

    /** Whether the first operand of a step is stored in units, so that it is for the kernels of this family. */
    public static boolean concerns(Step step) {
        return step.hasOperand(0) && step.operand(0).buffer() instanceof RepackedBuffer;
    }

    /** The weights of a MUL_MAT of this family that is computed by tensor cores from halves; none of others. */
    public static Optional<HalfWeights> halfWeights(Step step) {
        return UnitMulMat.halfWeights(step);
    }

    private static boolean isInUnits(Tensor tensor) {
        return RepackedType.holds(tensor.isView() ? tensor.viewSource() : tensor);
    }

    /** Whether a node takes those of its operands that are stored in units; yes if there are none. */
    public static OpSupport supports(Tensor node, Gpu gpu) {
        if (!concerns(node)) {
            return OpSupport.yes();
        }
        OpKernel kernel = KERNELS.get(node.op());
        if (kernel == null) {
            return OpSupport.no(node.op() + " does not read weights that are stored in units");
        }
        for (int slot = 1; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot) && isInUnits(node.source(slot))) {
                return OpSupport.no(node.op() + " reads weights in units in slot 0 only");
            }
        }
        return kernel.supports(node, gpu);
    }
}
