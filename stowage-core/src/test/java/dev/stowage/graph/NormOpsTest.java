package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F32;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class NormOpsTest {

    /** A normalisation of rows. */
    interface Rows {
        Tensor call(GraphBuilder builder, Tensor a, float epsilon);
    }

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.tensor(F32, 8, 6, 4).named("x");

    private static Stream<Arguments> rows() {
        return Stream.of(
                arguments(Op.NORM, (Rows) GraphBuilder::norm, (Rows) GraphBuilder::normInplace),
                arguments(Op.RMS_NORM, (Rows) GraphBuilder::rmsNorm, (Rows) GraphBuilder::rmsNormInplace),
                arguments(Op.L2_NORM, (Rows) GraphBuilder::l2Norm, (Rows) GraphBuilder::l2NormInplace));
    }

    @ParameterizedTest
    @MethodSource("rows")
    void keepsTheShape(Op op, Rows function, Rows inPlace) {
        assertResult(function.call(b, x, 1e-5f))
                .computes(op)
                .hasParameters(new OpParameters.Norm(1e-5f))
                .reads(x)
                .isFresh(F32, 8, 6, 4);
        assertResult(inPlace.call(b, x, 1e-5f))
                .computes(op)
                .hasParameters(new OpParameters.Norm(1e-5f))
                .reads(x)
                .overwrites(x);
    }

    @ParameterizedTest
    @MethodSource("rows")
    void refusesANegativeEpsilon(Op op, Rows function, Rows inPlace) {
        assertRefused(b, () -> function.call(b, x, -1f), op, "epsilon must not be negative", x);
        assertRefused(b, () -> inPlace.call(b, x, Float.NaN), op, "epsilon must not be negative", x);
    }

    @Test
    void normalisesGroupsOfChannels() {
        assertResult(b.groupNorm(x, 2, 1e-6f))
                .computes(Op.GROUP_NORM)
                .hasParameters(new OpParameters.GroupNorm(2, 1e-6f))
                .reads(x)
                .isFresh(F32, 8, 6, 4);
        assertResult(b.groupNormInplace(x, 2, 1e-6f))
                .computes(Op.GROUP_NORM)
                .reads(x)
                .overwrites(x);
    }

    @Test
    void refusesNoGroups() {
        assertRefused(b, () -> b.groupNorm(x, 0, 1e-6f), Op.GROUP_NORM, "at least one group", x);
    }
}
