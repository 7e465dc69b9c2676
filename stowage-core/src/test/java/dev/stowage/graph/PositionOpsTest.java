package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import dev.stowage.tensor.RopeSections;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PositionOpsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.tensor(F32, 64, 8, 5).named("x");
    private final Tensor positions = b.tensor(I32, 5).named("positions");
    private final Tensor factors = b.tensor(F32, 32).named("factors");
    private final OpParameters.Rope rope = OpParameters.Rope.of(64, RopeMode.NEOX);

    @Test
    void turnsRows() {
        assertResult(b.rope(x, positions, rope))
                .computes(Op.ROPE)
                .hasParameters(rope)
                .reads(x, positions)
                .isFresh(F32, 64, 8, 5);
        assertResult(b.rope(x, positions, factors, rope))
                .reads(x, positions, factors)
                .isFresh(F32, 64, 8, 5);
    }

    @Test
    void turnsInPlaceAndBack() {
        assertResult(b.ropeInplace(x, positions, null, rope))
                .computes(Op.ROPE)
                .reads(x, positions)
                .overwrites(x);
        assertResult(b.ropeBack(x, positions, factors, rope))
                .computes(Op.ROPE_BACK)
                .reads(x, positions, factors)
                .isFresh(F32, 64, 8, 5);
    }

    @ParameterizedTest
    @EnumSource
    void hasAsManyPositionsPerTokenAsTheModeSays(RopeMode mode) {
        Tensor four = b.tensor(I32, 20);
        OpParameters.Rope some = OpParameters.Rope.of(32, mode).withSections(new RopeSections(8, 4, 4, 0));
        Tensor right = mode.usesSections() ? four : positions;
        Tensor wrong = mode.usesSections() ? positions : four;

        assertResult(b.rope(x, right, some)).reads(x, right).isFresh(F32, 64, 8, 5);
        assertRefused(b, () -> b.rope(x, wrong, some), Op.ROPE, "one position for each token", x, wrong);
    }

    @Test
    void refusesPositionsThatAreNotAVectorOfNumbers() {
        Tensor matrix = b.tensor(I32, 5, 2);
        Tensor floats = b.tensor(F32, 5);

        assertRefused(b, () -> b.rope(x, matrix, rope), Op.ROPE, "one dimension", x, matrix);
        assertRefused(b, () -> b.rope(x, floats, rope), Op.ROPE, "must be i32", x, floats);
    }

    @Test
    void refusesToRotateWhatIsNotInTheRow() {
        OpParameters.Rope odd = OpParameters.Rope.of(63, RopeMode.NORMAL);
        OpParameters.Rope beyond = OpParameters.Rope.of(60, RopeMode.NORMAL).withOffset(6);
        OpParameters.Rope before = OpParameters.Rope.of(60, RopeMode.NORMAL).withOffset(-2);

        assertRefused(b, () -> b.rope(x, positions, odd), Op.ROPE, "must be even", x, positions);
        assertRefused(b, () -> b.rope(x, positions, beyond), Op.ROPE, "within a row", x, positions);
        assertRefused(b, () -> b.rope(x, positions, before), Op.ROPE, "offset", x, positions);
    }

    @Test
    void refusesAnOffsetWhereWholeRowsAreRotated() {
        Tensor four = b.tensor(I32, 20);
        OpParameters.Rope vision = OpParameters.Rope.of(32, RopeMode.VISION).withOffset(2);

        assertRefused(b, () -> b.rope(x, four, vision), Op.ROPE, "the offset must be 0", x, four);
    }

    @Test
    void refusesTooFewFrequencyFactors() {
        Tensor few = b.tensor(F32, 31);

        assertRefused(
                b,
                () -> b.rope(x, positions, few, rope),
                Op.ROPE,
                "a frequency factor for each pair",
                x,
                positions,
                few);
    }

    @Test
    void looksUpRelativePositions() {
        Tensor table = b.tensor(F16, 16, 13);

        assertResult(b.getRelPos(table, 7, 7))
                .computes(Op.GET_REL_POS)
                .reads(table)
                .isFresh(F16, 16, 7, 7);
    }

    @Test
    void refusesATableThatLacksADistance() {
        Tensor table = b.tensor(F16, 16, 12);

        assertRefused(b, () -> b.getRelPos(table, 7, 7), Op.GET_REL_POS, "a row for each distance", table);
        assertRefused(b, () -> b.getRelPos(table, 7, 6), Op.GET_REL_POS, "as many queries as keys", table);
    }

    @Test
    void addsRelativePositions() {
        Tensor scores = b.tensor(F32, 16, 6, 3);
        Tensor horizontal = b.tensor(F32, 4, 2, 3, 3);
        Tensor vertical = b.tensor(F32, 4, 2, 3, 3);

        assertResult(b.addRelPos(scores, horizontal, vertical))
                .computes(Op.ADD_REL_POS)
                .hasParameters(new OpParameters.AddRelPos(false))
                .reads(scores, horizontal, vertical)
                .isFresh(F32, 16, 6, 3);
        assertResult(b.addRelPosInplace(scores, horizontal, vertical))
                .hasParameters(new OpParameters.AddRelPos(true))
                .reads(scores, horizontal, vertical)
                .overwrites(scores);
    }

    @Test
    void refusesRelativePositionsOfAnotherWindow() {
        Tensor scores = b.tensor(F32, 15, 6, 3);
        Tensor horizontal = b.tensor(F32, 4, 2, 3, 3);
        Tensor vertical = b.tensor(F32, 4, 2, 3, 3);

        assertRefused(
                b,
                () -> b.addRelPos(scores, horizontal, vertical),
                Op.ADD_REL_POS,
                "squared",
                scores,
                horizontal,
                vertical);
    }
}
