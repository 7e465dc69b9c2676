package dev.stowage.reference.kernel;

import dev.stowage.device.OpSupport;
import dev.stowage.device.Step;
import dev.stowage.tensor.Tensor;
import java.util.function.Function;

/** A kernel that takes less than the op functions let through, and says why where it is asked. */
public record RestrictedKernel(Kernel kernel, Function<Tensor, OpSupport> rule) implements Kernel {

    /** A kernel whose results have the type of an operand, and fractions. */
    public static Kernel ofFractions(Kernel kernel) {
        return new RestrictedKernel(kernel, RestrictedKernel::holdsFractions);
    }

    /** Whether a result is of a type that is not for whole numbers. */
    public static OpSupport holdsFractions(Tensor node) {
        return require(
                !node.type().isInteger(),
                "the result of " + node.op() + " has fractions, which " + node.type() + " cannot hold");
    }

    /** The answer for a tensor made by hand with parameters of another op. */
    public static OpSupport foreignParameters(Tensor node) {
        return OpSupport.no("the parameters " + node.parameters() + " do not belong to " + node.op()
                + ": make the tensor with a GraphBuilder");
    }

    /** Yes if the rule holds, else no for that reason. */
    public static OpSupport require(boolean holds, String reason) {
        return holds ? OpSupport.yes() : OpSupport.no(reason);
    }

    @Override
    public void compute(Step step) {
        kernel.compute(step);
    }

    @Override
    public OpSupport supports(Tensor node) {
        return rule.apply(node);
    }
}
