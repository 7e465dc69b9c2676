package dev.stowage.reference.kernel;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;

/** A kernel whose numbers pass through doubles: it takes every type but i64, of which doubles hold only a part. */
public record DoubleArithmeticKernel(Kernel kernel) implements Kernel {

    @Override
    public void compute(Step step) {
        kernel.compute(step);
    }

    @Override
    public OpSupport supports(Tensor node) {
        return hasLongs(node) ? OpSupport.no(reason(node)) : kernel.supports(node);
    }

    /** Whether the result or an operand is of i64. */
    public static boolean hasLongs(Tensor node) {
        for (int slot = 0; slot < node.sourceCount(); slot++) {
            if (node.hasSource(slot) && node.source(slot).type() == ElementType.I64) {
                return true;
            }
        }
        return node.type() == ElementType.I64;
    }

    /** Why a node with i64 among its types is refused. */
    public static String reason(Tensor node) {
        return node.op() + " is computed in doubles, which cannot hold all of i64: cast the operand to another type";
    }
}
