package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.BF16;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;
import static dev.stowage.tensor.ElementType.Q8_0;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ElementwiseOpsTest {

    /** An op function of two operands. */
    interface OfTwo {
        Tensor call(GraphBuilder builder, Tensor a, Tensor b);
    }

    /** An op function of one operand. */
    interface OfOne {
        Tensor call(GraphBuilder builder, Tensor a);
    }

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.tensor(F32, 8, 6, 2).named("x");

    private static Stream<Arguments> twoOperands() {
        return Stream.of(
                arguments(Op.ADD, (OfTwo) GraphBuilder::add, (OfTwo) GraphBuilder::addInplace),
                arguments(Op.SUB, (OfTwo) GraphBuilder::sub, (OfTwo) GraphBuilder::subInplace),
                arguments(Op.MUL, (OfTwo) GraphBuilder::mul, (OfTwo) GraphBuilder::mulInplace),
                arguments(Op.DIV, (OfTwo) GraphBuilder::div, (OfTwo) GraphBuilder::divInplace));
    }

    @ParameterizedTest
    @MethodSource("twoOperands")
    void combinesWithWhatRepeats(Op op, OfTwo function, OfTwo inPlace) {
        Tensor y = b.tensor(F16, 4, 1, 2);

        assertResult(function.call(b, x, y))
                .computes(op)
                .reads(x, y)
                .hasParameters(OpParameters.NONE)
                .isFresh(F32, 8, 6, 2);
        assertResult(inPlace.call(b, x, y)).computes(op).reads(x, y).overwrites(x);
    }

    @ParameterizedTest
    @MethodSource("twoOperands")
    void refusesWhatDoesNotRepeat(Op op, OfTwo function, OfTwo inPlace) {
        Tensor y = b.tensor(F32, 3).named("y");

        assertRefused(b, () -> function.call(b, x, y), op, "repeat", x, y);
        assertRefused(b, () -> inPlace.call(b, x, y), op, "repeat", x, y);
    }

    @ParameterizedTest
    @MethodSource("twoOperands")
    void refusesToRepeatNothingIntoSomething(Op op, OfTwo function, OfTwo inPlace) {
        Tensor nothing = b.tensor(F32, 8, 0, 2);

        assertRefused(b, () -> function.call(b, x, nothing), op, "repeat", x, nothing);
        assertRefused(b, () -> inPlace.call(b, x, nothing), op, "repeat", x, nothing);
    }

    private static Stream<Arguments> oneOperand() {
        return Stream.of(
                arguments(Op.SQR, (OfOne) GraphBuilder::sqr, (OfOne) GraphBuilder::sqrInplace),
                arguments(Op.SQRT, (OfOne) GraphBuilder::sqrt, (OfOne) GraphBuilder::sqrtInplace),
                arguments(Op.LOG, (OfOne) GraphBuilder::log, (OfOne) GraphBuilder::logInplace),
                arguments(Op.SIN, (OfOne) GraphBuilder::sin, (OfOne) GraphBuilder::sinInplace),
                arguments(Op.COS, (OfOne) GraphBuilder::cos, (OfOne) GraphBuilder::cosInplace),
                arguments(Op.LEAKY_RELU, (OfOne) (builder, a) -> builder.leakyRelu(a, .1f), (OfOne)
                        (builder, a) -> builder.leakyReluInplace(a, .1f)));
    }

    @ParameterizedTest
    @MethodSource("oneOperand")
    void givesAGaplessResultForAnyLayout(Op op, OfOne function, OfOne inPlace) {
        Tensor turned = b.transpose(x);

        assertResult(function.call(b, turned)).computes(op).reads(turned).isFresh(F32, 6, 8, 2);
        assertResult(inPlace.call(b, turned))
                .computes(op)
                .reads(turned)
                .isViewOf(x, 0)
                .hasShape(6, 8, 2)
                .hasStrides(32, 4, 192, 384);
    }

    @Test
    void castsASum() {
        Tensor a = b.tensor(Q8_0, 64, 3, 2);
        Tensor y = b.tensor(F32, 64, 3);

        assertResult(b.addCast(a, y, F16)).computes(Op.ADD).reads(a, y).isFresh(F16, 64, 3, 2);
    }

    @Test
    void refusesToCastASumOfPlainFloats() {
        Tensor y = b.tensor(F32, 8);

        assertRefused(b, () -> b.addCast(x, y, F16), Op.ADD, "quantised, f16 or bf16", x, y);
    }

    @Test
    void refusesToCastASumOfUnequalRows() {
        Tensor a = b.tensor(BF16, 8, 4);
        Tensor y = b.tensor(F32, 4);

        assertRefused(b, () -> b.addCast(a, y, F32), Op.ADD, "the rows of both must have the same length", a, y);
    }

    @Test
    void addsRowsByNumber() {
        Tensor rows = b.tensor(F32, 8, 32);
        Tensor ids = b.tensor(I32, 6, 2);

        assertResult(b.addId(x, rows, ids))
                .computes(Op.ADD_ID)
                .reads(x, rows, ids)
                .isFresh(F32, 8, 6, 2);
    }

    @Test
    void refusesRowNumbersThatAreTooFewOrNoNumbers() {
        Tensor rows = b.tensor(F32, 8, 32);
        Tensor few = b.tensor(I32, 5, 2);
        Tensor floats = b.tensor(F32, 6, 2);

        assertRefused(b, () -> b.addId(x, rows, few), Op.ADD_ID, "one id for each row", x, rows, few);
        assertRefused(b, () -> b.addId(x, rows, floats), Op.ADD_ID, "the ids must be i32", x, rows, floats);
    }

    @Test
    void addsASingleNumber() {
        Tensor one = b.tensor(F32, 1);

        assertResult(b.add1(x, one)).computes(Op.ADD1).reads(x, one).isFresh(F32, 8, 6, 2);
        assertResult(b.add1Inplace(x, one)).computes(Op.ADD1).reads(x, one).overwrites(x);
    }

    @Test
    void refusesToAddARowAsASingleNumber() {
        Tensor row = b.tensor(F32, 8);

        assertRefused(b, () -> b.add1(x, row), Op.ADD1, "a single number", x, row);
    }

    @Test
    void scales() {
        assertResult(b.scale(x, 2f))
                .computes(Op.SCALE)
                .hasParameters(new OpParameters.Scale(2f, 0f))
                .reads(x)
                .isFresh(F32, 8, 6, 2);
        assertResult(b.scaleBias(x, 2f, 3f))
                .hasParameters(new OpParameters.Scale(2f, 3f))
                .isFresh(F32, 8, 6, 2);
        assertResult(b.scaleInplace(x, 2f))
                .hasParameters(new OpParameters.Scale(2f, 0f))
                .overwrites(x);
        assertResult(b.scaleBiasInplace(x, 2f, 3f))
                .hasParameters(new OpParameters.Scale(2f, 3f))
                .overwrites(x);
    }

    @Test
    void scalesRowsThatAreApartByTheSameDistance() {
        Tensor part = b.view2d(x, 4, 6, x.stride(1), 0);

        assertResult(b.scale(part, 2f)).reads(part).isFresh(F32, 4, 6);
    }

    @Test
    void refusesToScaleWhatIsTransposed() {
        Tensor turned = b.transpose(x);

        assertRefused(b, () -> b.scale(turned, 2f), Op.SCALE, "gapless rows at equal distances", turned);
    }

    @Test
    void clampsInPlace() {
        assertResult(b.clamp(x, -1f, 1f))
                .computes(Op.CLAMP)
                .hasParameters(new OpParameters.Clamp(-1f, 1f))
                .reads(x)
                .overwrites(x);
    }

    @Test
    void refusesBoundsTheWrongWayRound() {
        assertRefused(b, () -> b.clamp(x, 1f, -1f), Op.CLAMP, "the lower bound must not be above the upper one", x);
    }
}
