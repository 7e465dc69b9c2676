package dev.stowage.reference.kernel;

import dev.stowage.device.Step;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.OpParameters;

/**
 * Reads the parameters of a step as the kind its op has. The op functions give no other, but tensors are also made by
 * hand.
 */
public final class Parameters {

    private Parameters() {}

    public static <P extends OpParameters> P of(Step step, Class<P> kind) {
        if (!kind.isInstance(step.parameters())) {
            throw unsuited(step);
        }
        return kind.cast(step.parameters());
    }

    /** The exception for parameters of a kind that the op does not have. */
    public static InvalidTensorException unsuited(Step step) {
        return new InvalidTensorException(step.result().describe() + " has the parameters " + step.parameters()
                + ", which do not belong to " + step.op() + ": make it with a GraphBuilder");
    }
}
