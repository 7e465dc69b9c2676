package dev.stowage.reference;

import dev.stowage.device.Step;
import dev.stowage.error.AccessException;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.tensor.CustomOp;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Map;

/** Ops written by the caller: the function is called once, for the whole of its result. */
final class CustomKernels {

    private CustomKernels() {}

    static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.MAP_CUSTOM1, CustomKernels::call);
        kernels.put(Op.MAP_CUSTOM2, CustomKernels::call);
        kernels.put(Op.MAP_CUSTOM3, CustomKernels::call);
        kernels.put(Op.CUSTOM, CustomKernels::call);
    }

    private static void call(Step step) {
        Parameters.of(step, OpParameters.Custom.class).function().compute(new Whole(step));
    }

    /** The only part there is. */
    private record Whole(Step step) implements CustomOp.Part {

        @Override
        public Tensor result() {
            return step.result().tensor();
        }

        /** Takes a source as the result names it, and gives the bytes of what the graph has in its place. */
        @Override
        public MemorySegment bytes(Tensor tensor) {
            if (tensor == step.result().tensor()) {
                return step.result().segment();
            }
            for (int slot = 0; slot < step.operandCount(); slot++) {
                if (step.hasOperand(slot)
                        && (tensor == result().source(slot)
                                || tensor == step.operand(slot).tensor())) {
                    return step.operand(slot).segment().asReadOnly();
                }
            }
            throw new AccessException(tensor.describe() + " is neither " + result().describe()
                    + " nor one of its sources: a custom op reaches no other tensors");
        }

        @Override
        public int index() {
            return 0;
        }

        @Override
        public int count() {
            return 1;
        }
    }
}
