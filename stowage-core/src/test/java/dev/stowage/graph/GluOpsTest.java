package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.tensor.GluFunction;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

class GluOpsTest {

    /** A gated unit of one operand. */
    interface Halves {
        Tensor call(GraphBuilder builder, Tensor gateAndUp);
    }

    /** A gated unit of two operands. */
    interface Split {
        Tensor call(GraphBuilder builder, Tensor gate, Tensor up);
    }

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor gate = b.tensor(F32, 10, 4, 3).named("gate");
    private final Tensor up = b.tensor(F32, 10, 4, 3).named("up");

    private static Stream<Arguments> named() {
        return Stream.of(
                arguments(GluFunction.REGLU, (Halves) GraphBuilder::reglu, (Split) GraphBuilder::reglu),
                arguments(GluFunction.GEGLU, (Halves) GraphBuilder::geglu, (Split) GraphBuilder::geglu),
                arguments(GluFunction.SWIGLU, (Halves) GraphBuilder::swiglu, (Split) GraphBuilder::swiglu),
                arguments(GluFunction.GEGLU_ERF, (Halves) GraphBuilder::gegluErf, (Split) GraphBuilder::gegluErf),
                arguments(
                        GluFunction.GEGLU_QUICK, (Halves) GraphBuilder::gegluQuick, (Split) GraphBuilder::gegluQuick));
    }

    @ParameterizedTest
    @MethodSource("named")
    void halvesTheRowsOfOneOperand(GluFunction function, Halves halves, Split split) {
        assertResult(halves.call(b, gate))
                .computes(Op.GLU)
                .hasParameters(new OpParameters.Glu(function, false))
                .reads(gate)
                .isFresh(F32, 5, 4, 3);
        assertResult(split.call(b, gate, up))
                .computes(Op.GLU)
                .hasParameters(new OpParameters.Glu(function, false))
                .reads(gate, up)
                .isFresh(F32, 10, 4, 3);
    }

    @ParameterizedTest
    @MethodSource("named")
    void refusesRowsWithoutHalvesAndOperandsOfOtherShapes(GluFunction function, Halves halves, Split split) {
        Tensor odd = b.tensor(F32, 9, 4, 3).named("odd");

        assertRefused(b, () -> halves.call(b, odd), Op.GLU, "two halves", odd);
        assertRefused(b, () -> b.gluSwapped(odd, function), Op.GLU, "two halves", odd);
        assertRefused(b, () -> split.call(b, gate, odd), Op.GLU, "the same shape", gate, odd);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "SWIGLU_OAI")
    void takesTheGateFromEitherHalf(GluFunction function) {
        assertResult(b.glu(gate, function))
                .hasParameters(new OpParameters.Glu(function, false))
                .isFresh(F32, 5, 4, 3);
        assertResult(b.gluSwapped(gate, function))
                .hasParameters(new OpParameters.Glu(function, true))
                .reads(gate)
                .isFresh(F32, 5, 4, 3);
        assertResult(b.gluSplit(gate, up, function))
                .hasParameters(new OpParameters.Glu(function, false))
                .reads(gate, up)
                .isFresh(F32, 10, 4, 3);
    }

    @Test
    void takesRowsThatAreApart() {
        Tensor part = b.view2d(gate, 6, 4, gate.stride(1), 0);

        assertResult(b.swiglu(part)).reads(part).isFresh(F32, 3, 4);
    }

    @Test
    void refusesOperandsWithGaps() {
        Tensor turned = b.permute(gate, 0, 2, 1, 3);

        assertRefused(b, () -> b.swiglu(turned), Op.GLU, "without gaps but between its rows", turned);
    }

    @Test
    void refusesOperandsOfOtherTypes() {
        Tensor half = b.tensor(F16, 10, 4, 3);

        assertRefused(b, () -> b.swiglu(gate, half), Op.GLU, "the same type", gate, half);
    }

    @Test
    void limitsBothSides() {
        assertResult(b.swigluOai(gate, up, 1.5f, 7f))
                .computes(Op.GLU)
                .hasParameters(new OpParameters.SwigluOai(1.5f, 7f))
                .reads(gate, up)
                .isFresh(F32, 10, 4, 3);
    }

    @Test
    void refusesAFunctionWithoutItsCoefficients() {
        assertRefused(b, () -> b.glu(gate, GluFunction.SWIGLU_OAI), Op.GLU, "call swigluOai", gate);
    }
}
