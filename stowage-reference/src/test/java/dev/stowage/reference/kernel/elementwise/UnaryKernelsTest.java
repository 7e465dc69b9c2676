package dev.stowage.reference.kernel.elementwise;

import static dev.stowage.reference.kernel.TestNumbers.BRAIN;
import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.HALF;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static dev.stowage.reference.kernel.TestNumbers.q8Error;
import static java.lang.Double.NEGATIVE_INFINITY;
import static java.lang.Double.NaN;
import static java.lang.Double.POSITIVE_INFINITY;
import static java.lang.Math.exp;
import static java.lang.Math.max;
import static java.lang.Math.min;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class UnaryKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    /** The functions as textbooks write them. */
    private static double formula(UnaryFunction function, double x) {
        return switch (function) {
            case ABS -> x < 0 ? -x : x;
            case SGN -> Math.signum(x);
            case NEG -> 0 - x;
            case STEP -> x > 0 ? 1 : 0;
            case TANH -> (exp(x) - exp(-x)) / (exp(x) + exp(-x));
            case ELU -> x > 0 ? x : exp(x) - 1;
            case RELU -> max(x, 0);
            case SIGMOID -> 1 / (1 + exp(-x));
            case GELU -> {
                double inner = Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x);
                yield x / 2 * (1 + formula(UnaryFunction.TANH, inner));
            }
            case GELU_QUICK -> x / (1 + exp(-1.702 * x));
            case SILU -> x / (1 + exp(-x));
            case HARDSWISH -> x * min(max(x + 3, 0), 6) / 6;
            case HARDSIGMOID -> min(max(x + 3, 0), 6) / 6;
            case EXP -> exp(x);
            case EXPM1 -> exp(x) - 1;
            case SOFTPLUS -> Math.log(1 + exp(x));
            case GELU_ERF -> x * normalDistribution(x);
            case FLOOR -> Math.floor(x);
            case CEIL -> Math.ceil(x);
            case ROUND -> Math.signum(x) * Math.floor(Math.abs(x) + 0.5);
            case TRUNC -> Math.signum(x) * Math.floor(Math.abs(x));
            case XIELU -> throw new IllegalArgumentException("has coefficients");
        };
    }

    /** The normal distribution by Simpson's rule from far below. */
    private static double normalDistribution(double x) {
        int steps = 2_000;
        double from = -12;
        double width = (x - from) / steps;
        double sum = 0;
        for (int i = 0; i <= steps; i++) {
            double t = from + i * width;
            sum += (i == 0 || i == steps ? 1 : i % 2 == 0 ? 2 : 4) * exp(-t * t / 2);
        }
        return sum * width / 3 / Math.sqrt(2 * Math.PI);
    }

    @ParameterizedTest
    @EnumSource(value = UnaryFunction.class, mode = EnumSource.Mode.EXCLUDE, names = "XIELU")
    void appliesTheFunctionToEveryElement(UnaryFunction function) {
        for (ElementType type :
                new ElementType[] {ElementType.F32, ElementType.F16, ElementType.BF16, ElementType.F64}) {
            try (Computation own = new Computation()) {
                double[] values = TestNumbers.simple(new Random(3), 5 * 3 * 2 * 2);
                Tensor result = own.ops().unary(own.leaf(type, values, 5, 3, 2, 2), function);
                double tolerance = type == ElementType.BF16 ? BRAIN : type == ElementType.F16 ? HALF : FLOAT;
                assertClose(
                        own.compute(result),
                        TestNumbers.map(values, x -> formula(function, x)),
                        tolerance,
                        type + ", seed 3");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "ABS, NaN, Infinity, Infinity",
        "SGN, 0, -1, 1",
        "NEG, NaN, Infinity, -Infinity",
        "STEP, 0, 0, 1",
        "TANH, NaN, -1, 1",
        "ELU, NaN, -1, Infinity",
        "RELU, 0, 0, Infinity",
        "SIGMOID, NaN, 0, 1",
        "GELU, NaN, 0, Infinity",
        "GELU_QUICK, NaN, NaN, Infinity",
        "SILU, NaN, NaN, Infinity",
        "HARDSWISH, NaN, NaN, Infinity",
        "HARDSIGMOID, 0, 0, 1",
        "EXP, NaN, 0, Infinity",
        "EXPM1, NaN, -1, Infinity",
        "SOFTPLUS, NaN, 0, Infinity",
        "GELU_ERF, NaN, NaN, Infinity",
        "FLOOR, NaN, -Infinity, Infinity",
        "CEIL, NaN, -Infinity, Infinity",
        "ROUND, NaN, -Infinity, Infinity",
        "TRUNC, NaN, -Infinity, Infinity",
    })
    void makesOfNanAndInfinityWhatGgmlMakesOfThem(UnaryFunction function, double ofNan, double below, double above) {
        Tensor a = computation.f32(NaN, NEGATIVE_INFINITY, POSITIVE_INFINITY);
        assertThat(computation.compute(ops.unary(a, function))).containsExactly(ofNan, below, above);
    }

    @Test
    void roundsHalvesAwayFromZero() {
        Tensor a = computation.f32(0.5, 1.5, 2.5, -0.5, -2.5, 0.49999997, 8388609);
        assertThat(computation.compute(ops.round(a))).containsExactly(1, 2, 3, -1, -3, 0, 8388609);
    }

    @Test
    void takesNeitherZeroForPositive() {
        Tensor a = computation.f32(0, -0.0);
        assertThat(computation.compute(ops.step(a))).containsExactly(0, 0);
        assertThat(computation.compute(ops.sgn(a))).containsExactly(0, 0);
    }

    @Test
    void isExactNearZeroWhereExpMinusOneWouldCancel() {
        Tensor a = computation.leaf(ElementType.F64, new double[] {1e-12}, 1);
        double[] result = computation.compute(ops.expm1(a));
        // exp(x) - 1 = x + x²/2 + ...
        assertThat(result[0] / 1e-12).isCloseTo(1, within(1e-11));
    }

    @Test
    void doesNotOverflowOnTheWayToALargeResult() {
        assertThat(computation.compute(ops.softplus(computation.f32(20, 100, 1e30f))))
                .containsExactly(20, 100, 1e30f);
    }

    @Test
    void readsRowsThatAreFarApart() {
        Tensor whole = computation.f32(TestNumbers.of(12, i -> -i), 4, 3);
        Tensor part = ops.view2d(whole, 2, 3, whole.stride(1), 4);
        assertThat(computation.compute(ops.abs(part))).containsExactly(1, 2, 5, 6, 9, 10);
    }

    @Test
    void writesOverItsOperandAndNothingBesides() {
        Tensor whole = computation.f32(new double[] {-1, -2, -3, -4, -5, -6}, 3, 2);
        Tensor part = ops.view2d(whole, 2, 2, whole.stride(1), 0);
        computation.compute(ops.unaryInplace(part, UnaryFunction.NEG));
        assertThat(computation.read(whole)).containsExactly(1, 2, -3, 4, 5, -6);
    }

    @Test
    void roundsTowardsZeroIntoWholeNumbers() {
        assertThat(computation.compute(ops.tanh(computation.i32(-3, 0, 3)))).containsExactly(0, 0, 0);
        assertThat(computation.compute(ops.neg(computation.i32(-3, 0, 3)))).containsExactly(3, 0, -3);
    }

    @Test
    void computesQuantisedRows() {
        double[] values = TestNumbers.of(64, i -> i - 32);
        Tensor a = computation.leaf(ElementType.Q8_0, values, 64);
        assertClose(
                computation.compute(ops.relu(a)), TestNumbers.map(values, x -> max(x, 0)), q8Error(32) + q8Error(31));
    }

    @Test
    void computesTheExpandedIntegralOfElu() {
        float alphaNegative = 0.3f;
        float alphaPositive = 0.8f;
        float beta = 0.5f;
        float epsilon = -1e-2f;
        double[] values = {-3, -0.5, -0.001, 0, 0.25, 2};
        Tensor result = ops.xielu(computation.f32(values), alphaNegative, alphaPositive, beta, epsilon);
        double positive = Math.log(1 + exp(alphaPositive));
        double negative = beta + Math.log(1 + exp(alphaNegative));
        double[] expected = TestNumbers.map(
                values,
                x -> x > 0 ? positive * x * x + beta * x : negative * (exp(min(x, epsilon)) - 1 - x) + beta * x);
        assertClose(computation.compute(result), expected, FLOAT);
    }
}
