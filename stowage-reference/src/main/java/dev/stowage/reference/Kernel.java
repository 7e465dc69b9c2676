package dev.stowage.reference;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Tensor;

/**
 * Computes one op straight from its definition, slowly and plainly: the truth that every faster kernel is held against.
 * A kernel must be right when the result lies where an operand of the same layout lies that its op {@linkplain
 * dev.stowage.tensor.Op#mayOverwrite may overwrite}.
 */
@FunctionalInterface
interface Kernel {

    /** Computes the result of a step; all its tensors lie in host memory and none is empty. */
    void compute(Step step);

    /** Whether this kernel can compute that node; the op functions have checked shapes already. */
    default OpSupport supports(Tensor node) {
        return OpSupport.yes();
    }
}
