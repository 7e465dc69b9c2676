package dev.stowage.reference.kernel.elementwise;

import dev.stowage.device.Step;
import dev.stowage.reference.kernel.Kernel;
import dev.stowage.reference.kernel.Parameters;
import dev.stowage.reference.kernel.RowwiseKernel;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.UnaryFunction;
import java.util.Map;
import java.util.function.DoubleUnaryOperator;

/** Functions of one number, applied to every element. */
public final class UnaryKernels {

    private UnaryKernels() {}

    public static void addTo(Map<Op, Kernel> kernels) {
        kernels.put(Op.UNARY, RowwiseKernel.ofEachGiven(UnaryKernels::function));
    }

    private static DoubleUnaryOperator function(Step step) {
        return switch (step.parameters()) {
            case OpParameters.Unary(UnaryFunction function) when function != UnaryFunction.XIELU -> named(function);
            case OpParameters.Xielu xielu -> x -> xielu(x, xielu);
            default -> throw Parameters.unsuited(step);
        };
    }

    private static DoubleUnaryOperator named(UnaryFunction function) {
        return switch (function) {
            case ABS -> Math::abs;
            case SGN -> Activations::sgn;
            case NEG -> x -> -x;
            case STEP -> Activations::step;
            case TANH -> Math::tanh;
            case ELU -> Activations::elu;
            case RELU -> Activations::relu;
            case SIGMOID -> Activations::sigmoid;
            case GELU -> Activations::gelu;
            case GELU_QUICK -> Activations::geluQuick;
            case SILU -> Activations::silu;
            case HARDSWISH -> Activations::hardswish;
            case HARDSIGMOID -> Activations::hardsigmoid;
            case EXP -> Math::exp;
            case EXPM1 -> Math::expm1;
            case SOFTPLUS -> Activations::softplus;
            case GELU_ERF -> Activations::geluErf;
            case FLOOR -> Math::floor;
            case CEIL -> Math::ceil;
            case ROUND -> Activations::round;
            case TRUNC -> Activations::trunc;
            case XIELU -> throw new IllegalArgumentException(function + " has coefficients of its own");
        };
    }

    /** NaN takes {@code epsilon} in the exponent but stays NaN, as the rest of the sum has it too. */
    private static double xielu(double x, OpParameters.Xielu by) {
        if (x > 0) {
            return by.alphaPositive() * x * x + by.beta() * x;
        }
        return (Math.expm1(Math.min(x, by.epsilon())) - x) * by.alphaNegative() + by.beta() * x;
    }
}
