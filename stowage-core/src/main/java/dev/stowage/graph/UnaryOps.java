package dev.stowage.graph;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;

/** Functions of one number, applied to every element. The result has the type and shape of the operand. */
sealed interface UnaryOps extends OpFamily permits GraphBuilder {

    /** {@code function(a)}; the rows of {@code a} must be without gaps. */
    default Tensor unary(Tensor a, UnaryFunction function) {
        return apply(a, function, false);
    }

    /** {@link #unary} in the bytes of {@code a}. */
    default Tensor unaryInplace(Tensor a, UnaryFunction function) {
        return apply(a, function, true);
    }

    private Tensor apply(Tensor a, UnaryFunction function, boolean inPlace) {
        return OpCall.of(this, Op.UNARY, new OpParameters.Unary(function), a)
                .require(function != UnaryFunction.XIELU, "this function has coefficients: call xielu")
                .require(a.layout().hasContiguousRows(), "the elements of each row must be without gaps")
                .result(a, inPlace);
    }

    /** {@code |a|}. */
    default Tensor abs(Tensor a) {
        return apply(a, UnaryFunction.ABS, false);
    }

    /** The sign of {@code a}: -1, 0 or 1. */
    default Tensor sgn(Tensor a) {
        return apply(a, UnaryFunction.SGN, false);
    }

    /** {@code -a}. */
    default Tensor neg(Tensor a) {
        return apply(a, UnaryFunction.NEG, false);
    }

    /** 1 where {@code a > 0}, else 0. */
    default Tensor step(Tensor a) {
        return apply(a, UnaryFunction.STEP, false);
    }

    /** The hyperbolic tangent of {@code a}. */
    default Tensor tanh(Tensor a) {
        return apply(a, UnaryFunction.TANH, false);
    }

    /** {@code a} where it is positive, else {@code exp(a) - 1}. */
    default Tensor elu(Tensor a) {
        return apply(a, UnaryFunction.ELU, false);
    }

    /** {@code max(a, 0)}. */
    default Tensor relu(Tensor a) {
        return apply(a, UnaryFunction.RELU, false);
    }

    /** {@code 1 / (1 + exp(-a))}. */
    default Tensor sigmoid(Tensor a) {
        return apply(a, UnaryFunction.SIGMOID, false);
    }

    /** {@code a} times the normal distribution function, by its tanh approximation. */
    default Tensor gelu(Tensor a) {
        return apply(a, UnaryFunction.GELU, false);
    }

    /** {@code a} times the normal distribution function, by the error function. */
    default Tensor geluErf(Tensor a) {
        return apply(a, UnaryFunction.GELU_ERF, false);
    }

    /** {@code a * sigmoid(1.702 * a)}. */
    default Tensor geluQuick(Tensor a) {
        return apply(a, UnaryFunction.GELU_QUICK, false);
    }

    /** {@code a * sigmoid(a)}. */
    default Tensor silu(Tensor a) {
        return apply(a, UnaryFunction.SILU, false);
    }

    /** {@code a * hardsigmoid(a)}. */
    default Tensor hardswish(Tensor a) {
        return apply(a, UnaryFunction.HARDSWISH, false);
    }

    /** {@code (a + 3) / 6}, kept between 0 and 1. */
    default Tensor hardsigmoid(Tensor a) {
        return apply(a, UnaryFunction.HARDSIGMOID, false);
    }

    /** {@code exp(a)}. */
    default Tensor exp(Tensor a) {
        return apply(a, UnaryFunction.EXP, false);
    }

    /** {@code exp(a) - 1}. */
    default Tensor expm1(Tensor a) {
        return apply(a, UnaryFunction.EXPM1, false);
    }

    /** {@code log(1 + exp(a))}. */
    default Tensor softplus(Tensor a) {
        return apply(a, UnaryFunction.SOFTPLUS, false);
    }

    /** The largest whole numbers not above {@code a}. */
    default Tensor floor(Tensor a) {
        return apply(a, UnaryFunction.FLOOR, false);
    }

    /** The smallest whole numbers not below {@code a}. */
    default Tensor ceil(Tensor a) {
        return apply(a, UnaryFunction.CEIL, false);
    }

    /** The nearest whole numbers, halves away from zero. */
    default Tensor round(Tensor a) {
        return apply(a, UnaryFunction.ROUND, false);
    }

    /** {@code a} without its fractions. */
    default Tensor trunc(Tensor a) {
        return apply(a, UnaryFunction.TRUNC, false);
    }

    /**
     * The expanded integral of ELU: with {@code p = softplus(alphaPositive)} and
     * {@code n = beta + softplus(alphaNegative)}, {@code p * a² + beta * a} where {@code a} is positive, else
     * {@code n * (expm1(min(a, epsilon)) - a) + beta * a}. The parameters of the result hold {@code n} and {@code p}.
     */
    default Tensor xielu(Tensor a, float alphaNegative, float alphaPositive, float beta, float epsilon) {
        OpParameters.Xielu parameters =
                new OpParameters.Xielu(beta + softplus(alphaNegative), softplus(alphaPositive), beta, epsilon);
        return OpCall.of(this, Op.UNARY, parameters, a).resultLike(a);
    }

    private static float softplus(float x) {
        return x > 20f ? x : (float) Math.log1p(Math.exp(x));
    }
}
