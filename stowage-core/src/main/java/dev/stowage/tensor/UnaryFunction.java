package dev.stowage.tensor;

/**
 * The functions of one number that {@link Op#UNARY} applies to every element. The names are ggml's; {@code x} stands
 * for the element.
 */
public enum UnaryFunction {
    /** {@code |x|}. */
    ABS,
    /** -1, 0 or 1: the sign of {@code x}. */
    SGN,
    /** {@code -x}. */
    NEG,
    /** 1 where {@code x > 0}, else 0. */
    STEP,
    /** The hyperbolic tangent. */
    TANH,
    /** {@code x} where it is positive, else {@code exp(x) - 1}. */
    ELU,
    /** {@code max(x, 0)}. */
    RELU,
    /** {@code 1 / (1 + exp(-x))}. */
    SIGMOID,
    /** {@code x} times the normal distribution function, by its tanh approximation. */
    GELU,
    /** {@code x * sigmoid(1.702 * x)}. */
    GELU_QUICK,
    /** {@code x * sigmoid(x)}. */
    SILU,
    /** {@code x * hardsigmoid(x)}. */
    HARDSWISH,
    /** {@code (x + 3) / 6}, kept between 0 and 1. */
    HARDSIGMOID,
    /** {@code exp(x)}. */
    EXP,
    /** {@code exp(x) - 1}. */
    EXPM1,
    /** {@code log(1 + exp(x))}. */
    SOFTPLUS,
    /** {@code x} times the normal distribution function, by the error function. */
    GELU_ERF,
    /** The expanded integral of ELU; its coefficients are {@link OpParameters.Xielu}. */
    XIELU,
    /** The largest whole number not above {@code x}. */
    FLOOR,
    /** The smallest whole number not below {@code x}. */
    CEIL,
    /** The nearest whole number, halves away from zero. */
    ROUND,
    /** {@code x} without its fraction. */
    TRUNC
}
