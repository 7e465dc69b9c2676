package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.UnaryFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

class UnaryOpsTest {

    /** A function of one number by its own name. */
    interface Named {
        Tensor call(GraphBuilder builder, Tensor a);
    }

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.tensor(F16, 5, 4, 3).named("x");

    private static Stream<Arguments> named() {
        return Stream.of(
                arguments(UnaryFunction.ABS, (Named) GraphBuilder::abs),
                arguments(UnaryFunction.SGN, (Named) GraphBuilder::sgn),
                arguments(UnaryFunction.NEG, (Named) GraphBuilder::neg),
                arguments(UnaryFunction.STEP, (Named) GraphBuilder::step),
                arguments(UnaryFunction.TANH, (Named) GraphBuilder::tanh),
                arguments(UnaryFunction.ELU, (Named) GraphBuilder::elu),
                arguments(UnaryFunction.RELU, (Named) GraphBuilder::relu),
                arguments(UnaryFunction.SIGMOID, (Named) GraphBuilder::sigmoid),
                arguments(UnaryFunction.GELU, (Named) GraphBuilder::gelu),
                arguments(UnaryFunction.GELU_ERF, (Named) GraphBuilder::geluErf),
                arguments(UnaryFunction.GELU_QUICK, (Named) GraphBuilder::geluQuick),
                arguments(UnaryFunction.SILU, (Named) GraphBuilder::silu),
                arguments(UnaryFunction.HARDSWISH, (Named) GraphBuilder::hardswish),
                arguments(UnaryFunction.HARDSIGMOID, (Named) GraphBuilder::hardsigmoid),
                arguments(UnaryFunction.EXP, (Named) GraphBuilder::exp),
                arguments(UnaryFunction.EXPM1, (Named) GraphBuilder::expm1),
                arguments(UnaryFunction.SOFTPLUS, (Named) GraphBuilder::softplus),
                arguments(UnaryFunction.FLOOR, (Named) GraphBuilder::floor),
                arguments(UnaryFunction.CEIL, (Named) GraphBuilder::ceil),
                arguments(UnaryFunction.ROUND, (Named) GraphBuilder::round),
                arguments(UnaryFunction.TRUNC, (Named) GraphBuilder::trunc));
    }

    @ParameterizedTest
    @MethodSource("named")
    void hasAMethodForEachFunction(UnaryFunction function, Named method) {
        assertResult(method.call(b, x))
                .computes(Op.UNARY)
                .hasParameters(new OpParameters.Unary(function))
                .reads(x)
                .isFresh(F16, 5, 4, 3);
    }

    @ParameterizedTest
    @MethodSource("named")
    void refusesRowsWithGaps(UnaryFunction function, Named method) {
        Tensor turned = b.transpose(x);

        assertRefused(b, () -> method.call(b, turned), Op.UNARY, "without gaps", turned);
        assertRefused(b, () -> b.unaryInplace(turned, function), Op.UNARY, "without gaps", turned);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "XIELU")
    void appliesAFunctionByItsNumber(UnaryFunction function) {
        assertResult(b.unary(x, function))
                .hasParameters(new OpParameters.Unary(function))
                .isFresh(F16, 5, 4, 3);
        assertResult(b.unaryInplace(x, function))
                .computes(Op.UNARY)
                .hasParameters(new OpParameters.Unary(function))
                .reads(x)
                .overwrites(x);
    }

    @Test
    void takesRowsThatAreApart() {
        Tensor part = b.view2d(x, 3, 4, x.stride(1), 0);

        assertResult(b.relu(part)).reads(part).isFresh(F16, 3, 4);
    }

    @Test
    void refusesAFunctionWithoutItsCoefficients() {
        assertRefused(b, () -> b.unary(x, UnaryFunction.XIELU), Op.UNARY, "call xielu", x);
    }

    @Test
    void keepsTheCoefficientsOfXieluReadyForUse() {
        Tensor a = b.tensor(F32, 4);
        Tensor result = b.xielu(a, 0.5f, 30f, 0.25f, -1e-6f);

        assertResult(result).computes(Op.UNARY).reads(a).isFresh(F32, 4);
        OpParameters.Xielu xielu = (OpParameters.Xielu) result.parameters();
        assertThat(xielu.alphaNegative()).isCloseTo((float) (0.25 + Math.log(1 + Math.exp(0.5))), within(1e-6f));
        assertThat(xielu.alphaPositive()).isEqualTo(30f);
        assertThat(xielu.beta()).isEqualTo(0.25f);
        assertThat(xielu.epsilon()).isEqualTo(-1e-6f);
    }
}
