package dev.stowage.cpu.op.elementwise;

import dev.stowage.cpu.kernel.math.ActivationKernels;
import dev.stowage.cpu.kernel.math.ExpKernels;
import dev.stowage.cpu.kernel.math.ExponentialKernels;
import dev.stowage.cpu.kernel.math.PiecewiseKernels;
import dev.stowage.cpu.kernel.math.RoundingKernels;
import dev.stowage.cpu.kernel.math.UnaryLoop;
import dev.stowage.cpu.op.elementwise.UnaryOp.Choice;
import dev.stowage.cpu.program.NodeBuilder;
import dev.stowage.cpu.team.ElementCost;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.OpParameters.Xielu;
import dev.stowage.tensor.UnaryFunction;

/** The functions of {@link dev.stowage.tensor.Op#UNARY}. */
final class UnaryFunctions {

    private UnaryFunctions() {}

    static Choice choose(NodeBuilder node) {
        OpParameters parameters = node.step().parameters();
        if (parameters instanceof Xielu(float negative, float positive, float beta, float epsilon)) {
            return exponential(
                    (from, to, n) -> ExponentialKernels.xielu(from, to, n, negative, positive, beta, epsilon));
        }
        return named(((OpParameters.Unary) parameters).function());
    }

    private static Choice named(UnaryFunction function) {
        return switch (function) {
            case ABS -> plain(PiecewiseKernels::abs);
            case SGN -> plain(PiecewiseKernels::sgn);
            case NEG -> plain(PiecewiseKernels::neg);
            case STEP -> plain(PiecewiseKernels::step);
            case TANH -> exponential(ExponentialKernels::tanh);
            case ELU -> exponential(ExponentialKernels::elu);
            case RELU -> plain(PiecewiseKernels::relu);
            case SIGMOID -> exponential(ActivationKernels::sigmoid);
            case GELU -> exponential(ActivationKernels::gelu);
            case GELU_QUICK -> exponential(ActivationKernels::geluQuick);
            case SILU -> exponential(ActivationKernels::silu);
            case HARDSWISH -> plain(PiecewiseKernels::hardswish);
            case HARDSIGMOID -> plain(PiecewiseKernels::hardsigmoid);
            case EXP -> exponential(ExpKernels::exp);
            case EXPM1 -> exponential(ExponentialKernels::expm1);
            case SOFTPLUS -> exponential(ExponentialKernels::softplus);
            case GELU_ERF -> exponential(ActivationKernels::geluErf);
            case FLOOR -> plain(RoundingKernels::floor);
            case CEIL -> plain(RoundingKernels::ceil);
            case ROUND -> plain(RoundingKernels::round);
            case TRUNC -> plain(RoundingKernels::trunc);
            case XIELU -> throw new IllegalArgumentException(function + " has coefficients of its own");
        };
    }

    private static Choice plain(UnaryLoop loop) {
        return new Choice(loop, ElementCost.ARITHMETIC);
    }

    private static Choice exponential(UnaryLoop loop) {
        return new Choice(loop, ElementCost.EXPONENTIAL);
    }
}
