package dev.stowage.reference;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.error.UnsupportedOpException;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.tensor.Tensor;
import java.util.Map;

/**
 * The reference ops one by one, for backends of the host that have no kernel of their own for a node, and for tests that
 * hold a kernel against the truth.
 */
public final class ReferenceOps {

    private ReferenceOps() {}

    /** Whether that node can be computed from its sources as they are. */
    public static OpSupport supports(Tensor node) {
        if (node.isLeaf() || node.op().isViewOp()) {
            return OpSupport.yes();
        }
        return KernelRegistry.of(node.op())
                .map(kernel -> kernel.supports(node))
                .orElseGet(() -> OpSupport.no("there is no kernel for " + node.op()));
    }

    /**
     * Computes one node in the calling thread; all its tensors are in host memory.
     *
     * @throws UnsupportedOpException if it {@linkplain #supports cannot}
     */
    public static void compute(Step step) {
        Kernel kernel = KernelRegistry.of(step.op())
                .filter(found -> found.supports(step.result().tensor()).isSupported())
                .orElseThrow(() -> UnsupportedOpException.of(
                        step.result().describe(),
                        Map.of("reference", supports(step.result().tensor()).reason())));
        if (!step.result().shape().isEmpty()) {
            kernel.compute(step);
        }
    }
}
