package dev.stowage.reference.kernel.elementwise;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.HALF;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static dev.stowage.reference.kernel.TestNumbers.q8Error;
import static java.lang.Double.NaN;
import static java.lang.Double.POSITIVE_INFINITY;
import static java.lang.Math.exp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class GluKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    private static double formula(GluFunction function, double gate, double up) {
        return switch (function) {
            case REGLU -> Math.max(gate, 0) * up;
            case GEGLU -> {
                double inner = Math.sqrt(2 / Math.PI) * (gate + 0.044715 * gate * gate * gate);
                yield gate / 2 * (1 + Math.tanh(inner)) * up;
            }
            case SWIGLU -> gate / (1 + exp(-gate)) * up;
            case GEGLU_ERF -> gate / 2 * (2 - ErrorFunction.erfc(gate / Math.sqrt(2))) * up;
            case GEGLU_QUICK -> gate / (1 + exp(-1.702 * gate)) * up;
            case SWIGLU_OAI -> throw new IllegalArgumentException("has coefficients");
        };
    }

    @ParameterizedTest
    @EnumSource(value = GluFunction.class, mode = EnumSource.Mode.EXCLUDE, names = "SWIGLU_OAI")
    void multipliesTwoOperands(GluFunction function) {
        Random random = new Random(4);
        double[] gate = TestNumbers.simple(random, 24);
        double[] up = TestNumbers.simple(random, 24);
        double[] expected = TestNumbers.of(24, i -> formula(function, gate[i], up[i]));
        Tensor single = ops.gluSplit(computation.f32(gate, 4, 3, 2), computation.f32(up, 4, 3, 2), function);
        assertClose(computation.compute(single), expected, FLOAT, "seed 4");
        Tensor half = ops.gluSplit(
                computation.leaf(ElementType.F16, gate, 4, 3, 2),
                computation.leaf(ElementType.F16, up, 4, 3, 2),
                function);
        assertClose(computation.compute(half), expected, HALF, "f16, seed 4");
    }

    @ParameterizedTest
    @EnumSource(value = GluFunction.class, mode = EnumSource.Mode.EXCLUDE, names = "SWIGLU_OAI")
    void takesTheGateFromTheFirstHalfOfARow(GluFunction function) {
        double[] values = TestNumbers.simple(new Random(5), 36);
        Tensor result = ops.glu(computation.f32(values, 6, 3, 2), function);
        double[] expected = TestNumbers.of(18, n -> {
            int at = n / 3 * 6 + n % 3;
            return formula(function, values[at], values[at + 3]);
        });
        assertClose(computation.compute(result), expected, FLOAT, "seed 5");
    }

    @ParameterizedTest
    @EnumSource(value = GluFunction.class, mode = EnumSource.Mode.EXCLUDE, names = "SWIGLU_OAI")
    void takesTheGateFromTheSecondHalfWhereSwapped(GluFunction function) {
        double[] values = TestNumbers.simple(new Random(6), 36);
        Tensor result = ops.gluSwapped(computation.f32(values, 6, 3, 2), function);
        double[] expected = TestNumbers.of(18, n -> {
            int at = n / 3 * 6 + n % 3;
            return formula(function, values[at + 3], values[at]);
        });
        assertClose(computation.compute(result), expected, FLOAT, "seed 6");
    }

    @Test
    void readsRowsThatAreFarApart() {
        Tensor whole = computation.f32(TestNumbers.counting(15), 5, 3);
        Tensor part = ops.view2d(whole, 4, 3, whole.stride(1), 4);
        assertThat(computation.compute(ops.reglu(part))).containsExactly(3, 8, 48, 63, 143, 168);
    }

    @Test
    void limitsBothSidesOfTheSwigluWithLimits() {
        double alpha = 1.702f;
        double[] gate = {-3, 0.5, 9, NaN};
        double[] up = {9, -0.5, -9, 1};
        Tensor result = ops.swigluOai(computation.f32(gate), computation.f32(up), 1.702f, 2);
        double[] expected = {
            -3 / (1 + exp(3 * alpha)) * (1 + 2),
            0.5 / (1 + exp(-0.5 * alpha)) * (1 - 0.5),
            2 / (1 + exp(-2 * alpha)) * (1 - 2),
            NaN
        };
        assertClose(computation.compute(result), expected, FLOAT);
    }

    @Test
    void staysZeroAfterAClosedGateWhateverComesThrough() {
        Tensor gate = computation.f32(-1, 0, -10);
        Tensor up = computation.f32(POSITIVE_INFINITY, NaN, NaN);
        assertThat(computation.compute(ops.reglu(gate, up))).containsExactly(0, 0, 0);
        assertThat(computation.compute(ops.geglu(gate, up))[2]).isZero();
    }

    @Test
    void computesQuantisedRows() {
        double[] gate = TestNumbers.of(32, i -> i - 16);
        double[] up = TestNumbers.of(32, _ -> 2);
        Tensor result =
                ops.reglu(computation.leaf(ElementType.Q8_0, gate, 32), computation.leaf(ElementType.Q8_0, up, 32));
        double error = 2 * q8Error(16) + 16 * q8Error(2) + q8Error(31);
        assertClose(computation.compute(result), TestNumbers.map(gate, x -> Math.max(x, 0) * 2), error);
    }
}
