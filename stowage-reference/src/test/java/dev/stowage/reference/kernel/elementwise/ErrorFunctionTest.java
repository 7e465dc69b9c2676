package dev.stowage.reference.kernel.elementwise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorFunctionTest {

    @ParameterizedTest
    @ValueSource(doubles = {-5, -2.1, -1.9, -0.7, 0, 0.001, 0.5, 1.3, 1.999, 2.001, 2.5, 4, 6})
    void isTheIntegralItIsDefinedAs(double x) {
        double integral = integral(x, x + 12);
        assertThat(ErrorFunction.erfc(x) / integral).as("erfc(%s)", x).isCloseTo(1, within(1e-12));
    }

    /** By Simpson's rule; the integrand beyond the upper end is nothing against that before it. */
    private static double integral(double from, double to) {
        int steps = 200_000;
        double width = (to - from) / steps;
        double sum = 0;
        for (int i = 0; i <= steps; i++) {
            double t = from + i * width;
            int weight = i == 0 || i == steps ? 1 : i % 2 == 0 ? 2 : 4;
            sum += weight * Math.exp(-t * t);
        }
        return 2 / Math.sqrt(Math.PI) * sum * width / 3;
    }

    @Test
    void goesFromTwoToZero() {
        assertThat(ErrorFunction.erfc(Double.NEGATIVE_INFINITY)).isEqualTo(2);
        assertThat(ErrorFunction.erfc(0)).isEqualTo(1);
        assertThat(ErrorFunction.erfc(Double.POSITIVE_INFINITY)).isZero();
    }

    @Test
    void keepsNan() {
        assertThat(ErrorFunction.erfc(Double.NaN)).isNaN();
    }
}
