package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;

import dev.stowage.tensor.CustomOp;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CustomOpsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.tensor(F16, 8, 3).named("x");
    private final Tensor y = b.tensor(F32, 5).named("y");
    private final Tensor z = b.tensor(I32, 2, 2).named("z");
    private final CustomOp function = part -> part.bytes(part.result()).fill((byte) part.index());
    private final OpParameters.Custom unlimited = new OpParameters.Custom(function, Integer.MAX_VALUE);
    private final OpParameters.Custom inTwo = new OpParameters.Custom(function, 2);

    @Test
    void mapsOneOperand() {
        assertResult(b.mapCustom1(x, function))
                .computes(Op.MAP_CUSTOM1)
                .hasParameters(unlimited)
                .reads(x)
                .isFresh(F16, 8, 3);
        assertResult(b.mapCustom1(x, function, 2)).hasParameters(inTwo).reads(x).isFresh(F16, 8, 3);
        assertResult(b.mapCustom1Inplace(x, function, 2))
                .hasParameters(inTwo)
                .reads(x)
                .overwrites(x);
    }

    @Test
    void mapsTwoOperands() {
        assertResult(b.mapCustom2(x, y, function))
                .computes(Op.MAP_CUSTOM2)
                .hasParameters(unlimited)
                .reads(x, y)
                .isFresh(F16, 8, 3);
        assertResult(b.mapCustom2(x, y, function, 2))
                .hasParameters(inTwo)
                .reads(x, y)
                .isFresh(F16, 8, 3);
        assertResult(b.mapCustom2Inplace(x, y, function, 2))
                .hasParameters(inTwo)
                .reads(x, y)
                .overwrites(x);
    }

    @Test
    void mapsThreeOperands() {
        assertResult(b.mapCustom3(x, y, z, function))
                .computes(Op.MAP_CUSTOM3)
                .hasParameters(unlimited)
                .reads(x, y, z)
                .isFresh(F16, 8, 3);
        assertResult(b.mapCustom3(x, y, z, function, 2))
                .hasParameters(inTwo)
                .reads(x, y, z)
                .isFresh(F16, 8, 3);
        assertResult(b.mapCustom3Inplace(x, y, z, function, 2))
                .hasParameters(inTwo)
                .reads(x, y, z)
                .overwrites(x);
    }

    @Test
    void computesAnyShapeFromAnyNumberOfOperands() {
        Tensor[] many = IntStream.range(0, 30).mapToObj(_ -> b.tensor(F32, 1)).toArray(Tensor[]::new);

        assertResult(b.custom(I32, Shape.of(4, 2), function, many))
                .computes(Op.CUSTOM)
                .hasParameters(unlimited)
                .reads(many)
                .isFresh(I32, 4, 2);
        assertResult(b.custom(I32, Shape.of(4, 2), function, 2))
                .hasParameters(inTwo)
                .reads()
                .isFresh(I32, 4, 2);
    }

    @Test
    void computesInPlaceOfItsFirstOperand() {
        assertResult(b.customInplace(x, function, 2, y, z))
                .computes(Op.CUSTOM)
                .hasParameters(inTwo)
                .reads(x, y, z)
                .overwrites(x);
    }

    @Test
    void refusesWorkWithoutParts() {
        assertRefused(b, () -> b.mapCustom1(x, function, 0), Op.MAP_CUSTOM1, "at least one part", x);
        assertRefused(b, () -> b.mapCustom2(x, y, function, 0), Op.MAP_CUSTOM2, "at least one part", x, y);
        assertRefused(b, () -> b.mapCustom3(x, y, z, function, -1), Op.MAP_CUSTOM3, "at least one part", x, y, z);
        assertRefused(b, () -> b.custom(F32, Shape.SCALAR, function, 0, x), Op.CUSTOM, "at least one part", x);
    }
}
