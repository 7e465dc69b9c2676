package dev.stowage.reference.kernel;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Tensor;

/**
 * Computes one op by its definition, in plain scalar code: every faster kernel is compared with it.
 * A kernel must be right when the result shares the memory of an operand of the same layout that its op {@linkplain
 * dev.stowage.tensor.Op#mayOverwrite may overwrite}.
 */
@FunctionalInterface
public interface Kernel {

    /** Computes the result of a step; all its tensors are in host memory and none is empty. */
    void compute(Step step);

    /** Whether this kernel can compute that node; the op functions have checked shapes already. */
    default OpSupport supports(Tensor node) {
        return OpSupport.yes();
    }
}
