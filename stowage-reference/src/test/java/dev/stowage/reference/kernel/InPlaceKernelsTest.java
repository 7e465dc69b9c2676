package dev.stowage.reference.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A plan may put a result in the memory of an operand of the same layout; the numbers must not change by that. */
class InPlaceKernelsTest {

    private static Tensor make(GraphBuilder ops, Op op, Tensor a, Tensor b) {
        return switch (op) {
            case ADD -> ops.add(a, b);
            case SUB -> ops.sub(a, b);
            case MUL -> ops.mul(a, b);
            case DIV -> ops.div(a, b);
            case SQR -> ops.sqr(a);
            case SQRT -> ops.sqrt(a);
            case LOG -> ops.log(a);
            case SCALE -> ops.scaleBias(a, 3, 1);
            case UNARY -> ops.unary(a, UnaryFunction.SILU);
            case RMS_NORM -> ops.rmsNorm(a, 0.1f);
            case DIAG_MASK_INF -> ops.diagMaskInf(a, 1);
            case DIAG_MASK_ZERO -> ops.diagMaskZero(a, 1);
            case FILL -> ops.fill(a, 4);
            case SIN -> ops.sin(a);
            case COS -> ops.cos(a);
            case LEAKY_RELU -> ops.leakyRelu(a, 0.1f);
            case CUMSUM -> ops.cumsum(a);
            case NORM -> ops.norm(a, 0.1f);
            case L2_NORM -> ops.l2Norm(a, 0.1f);
            case GROUP_NORM -> ops.groupNorm(a, 2, 0.1f);
            case DUP -> ops.dup(a);
            case CONT -> ops.cont(a);
            case GLU -> ops.swiglu(a, b);
            case SET -> ops.set1d(a, ops.view1d(b, 5, 4), 12);
            case ACC -> ops.acc(a, ops.view1d(b, 5, 4), a.stride(1), a.stride(2), a.stride(3), 12);
            default -> throw new IllegalArgumentException(op.name());
        };
    }

    private static double[] computed(Op op, BiFunction<Computation, Tensor[], double[]> computing) {
        try (Computation computation = new Computation()) {
            Random random = new Random(14);
            Tensor a = computation.f32(TestNumbers.simple(random, 24), 4, 3, 2);
            Tensor b = computation.f32(TestNumbers.simple(random, 24), 4, 3, 2);
            Tensor result = make(computation.ops(), op, a, b);
            return computing.apply(computation, new Tensor[] {result, a, b});
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Op.class,
            names = {
                "ADD",
                "SUB",
                "MUL",
                "DIV",
                "SQR",
                "SQRT",
                "LOG",
                "SCALE",
                "UNARY",
                "RMS_NORM",
                "DIAG_MASK_INF",
                "DIAG_MASK_ZERO",
                "FILL",
                "SIN",
                "COS",
                "LEAKY_RELU",
                "CUMSUM",
                "NORM",
                "L2_NORM",
                "GROUP_NORM",
                "DUP",
                "CONT",
                "GLU",
                "SET",
                "ACC"
            })
    void computesTheSameOverItsFirstOperand(Op op) {
        assertThat(op.mayOverwrite(0)).isTrue();
        double[] apart = computed(op, (computation, t) -> computation.compute(t[0]));
        double[] over = computed(op, (computation, t) -> computation.computeOver(t[1], t[0]));
        assertThat(over).as("seed 14").containsExactly(apart);
    }

    @ParameterizedTest
    @EnumSource(
            value = Op.class,
            names = {"ADD", "SUB", "MUL", "DIV", "GLU"})
    void computesTheSameOverItsSecondOperand(Op op) {
        assertThat(op.mayOverwrite(1)).isTrue();
        double[] apart = computed(op, (computation, t) -> computation.compute(t[0]));
        double[] over = computed(op, (computation, t) -> computation.computeOver(t[2], t[0]));
        assertThat(over).as("seed 14").containsExactly(apart);
    }
}
