package dev.stowage.reference.kernel.elementwise;

import static java.lang.Math.abs;
import static java.lang.Math.ceil;
import static java.lang.Math.exp;
import static java.lang.Math.expm1;
import static java.lang.Math.floor;
import static java.lang.Math.log1p;
import static java.lang.Math.sqrt;
import static java.lang.Math.tanh;

/**
 * Functions of one number that neural networks use and {@link Math} lacks. What they make of NaN and of infinity is
 * what ggml makes of them; where it says nothing here, NaN stays NaN.
 */
final class Activations {

    private static final double SQRT_2_OVER_PI = sqrt(2 / Math.PI);
    private static final double SQRT_HALF = sqrt(0.5);
    /** Beyond this on either side ggml takes {@link #gelu} for 0 or x, so that -infinity gives 0. */
    private static final double GELU_EDGE = 10;
    /** Beyond this log(1 + exp(x)) is x to more digits than a float has. */
    private static final double SOFTPLUS_EDGE = 20;

    private Activations() {}

    /** NaN gives 0. */
    static double sgn(double x) {
        return x > 0 ? 1 : x < 0 ? -1 : 0;
    }

    /** NaN gives 0. */
    static double step(double x) {
        return x > 0 ? 1 : 0;
    }

    /** NaN gives 0. */
    static double relu(double x) {
        return x > 0 ? x : 0;
    }

    static double elu(double x) {
        return x > 0 ? x : expm1(x);
    }

    static double sigmoid(double x) {
        return 1 / (1 + exp(-x));
    }

    /** {@code x * sigmoid(x)}; -infinity gives NaN. */
    static double silu(double x) {
        return x / (1 + exp(-x));
    }

    /** {@code x / 2 * (1 + tanh(√(2/π) * (x + 0.044715 * x³)))}. */
    static double gelu(double x) {
        if (x <= -GELU_EDGE) {
            return 0;
        }
        return x >= GELU_EDGE ? x : 0.5 * x * (1 + tanh(SQRT_2_OVER_PI * x * (1 + 0.044715 * x * x)));
    }

    /** Whether {@link #gelu} is 0 there, whatever it is multiplied with. */
    static boolean geluVanishes(double x) {
        return x <= -GELU_EDGE;
    }

    /** {@code x / 2 * (1 + erf(x / √2))}; -infinity gives NaN. */
    static double geluErf(double x) {
        return 0.5 * x * ErrorFunction.erfc(-x * SQRT_HALF);
    }

    /** {@code x * sigmoid(1.702 * x)}; -infinity gives NaN. */
    static double geluQuick(double x) {
        return x * sigmoid(1.702 * x);
    }

    /** {@code (x + 3) / 6} kept between 0 and 1; NaN gives 0. */
    static double hardsigmoid(double x) {
        double line = (x + 3) / 6;
        return line > 0 ? (line < 1 ? line : 1) : 0;
    }

    /** -infinity gives NaN. */
    static double hardswish(double x) {
        return x * hardsigmoid(x);
    }

    /** {@code log(1 + exp(x))}. */
    static double softplus(double x) {
        return x > SOFTPLUS_EDGE ? x : log1p(exp(x));
    }

    /** The nearest whole number, halves away from zero. */
    static double round(double x) {
        double whole = trunc(x);
        return abs(x - whole) >= 0.5 ? whole + sgn(x) : whole;
    }

    /** The whole number next to {@code x} towards zero. */
    static double trunc(double x) {
        return x < 0 ? ceil(x) : floor(x);
    }
}
