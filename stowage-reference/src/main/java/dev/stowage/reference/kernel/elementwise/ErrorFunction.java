package dev.stowage.reference.kernel.elementwise;

import static java.lang.Math.abs;
import static java.lang.Math.exp;
import static java.lang.Math.sqrt;

/** The complementary error function, which {@link Math} lacks, to at least thirteen digits wherever it is not zero. */
final class ErrorFunction {

    /** Up to here the series is short and little is lost by taking it from 1; from here on the fraction is short. */
    private static final double SERIES_UP_TO = 2;

    private static final int FRACTION_DEPTH = 120;

    private ErrorFunction() {}

    /** {@code 2/√π} times the integral of {@code exp(-t²)} from {@code x} to infinity. */
    static double erfc(double x) {
        if (abs(x) <= SERIES_UP_TO) {
            return 1 - series(x);
        }
        return x < 0 ? 2 - fraction(-x) : fraction(x);
    }

    /** {@code erf(x) = 2/√π * exp(-x²) * (x + 2x³/3 + 4x⁵/15 + ...)}: each term is the last one times 2x²/(2n+1). */
    private static double series(double x) {
        double term = x;
        double sum = 0;
        for (int n = 1; sum + term != sum; n++) {
            sum += term;
            term *= 2 * x * x / (2 * n + 1);
        }
        return 2 / sqrt(Math.PI) * exp(-x * x) * sum;
    }

    /** {@code erfc(x) = exp(-x²)/√π / (x + (1/2)/(x + (2/2)/(x + (3/2)/(x + ...))))} for x well above zero. */
    private static double fraction(double x) {
        double below = x;
        for (int n = FRACTION_DEPTH; n > 0; n--) {
            below = x + 0.5 * n / below;
        }
        return exp(-x * x) / sqrt(Math.PI) / below;
    }
}
