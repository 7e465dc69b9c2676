package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;
import static dev.stowage.tensor.ElementType.Q4_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

class CopyOpsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.tensor(F32, 8, 6, 2).named("x");
    private final Tensor turned = b.transpose(x);

    @Test
    void duplicatesWithoutGaps() {
        assertResult(b.dup(turned)).computes(Op.DUP).reads(turned).isFresh(F32, 6, 8, 2);
        assertResult(b.dupInplace(x)).computes(Op.DUP).reads(x).overwrites(x);
    }

    @Test
    void copiesIntoItsTarget() {
        Tensor target = b.tensor(F16, 96).named("target");

        assertResult(b.cpy(turned, target))
                .computes(Op.CPY)
                .reads(turned, target)
                .overwrites(target);
    }

    @Test
    void copiesIntoAPartOfATensor() {
        Tensor cache = b.tensor(F16, 1000);
        Tensor part = b.view1d(cache, 96, 64);

        assertResult(b.cpy(x, part)).reads(x, part).isViewOf(cache, 64).hasShape(96);
    }

    @Test
    void refusesATargetOfOtherSize() {
        Tensor target = b.tensor(F16, 95);

        assertRefused(b, () -> b.cpy(x, target), Op.CPY, "as many elements", x, target);
    }

    @Test
    void casts() {
        Tensor cast = b.cast(turned, F16);

        assertResult(cast).computes(Op.CPY).reads(turned, cast).isFresh(F16, 6, 8, 2);
    }

    @Test
    void refusesToCastRowsIntoBrokenBlocks() {
        assertRefused(b, () -> b.cast(x, Q4_0), Op.CPY, "multiple of 32", x);
    }

    @Test
    void makesContiguous() {
        assertResult(b.cont(turned)).computes(Op.CONT).reads(turned).isFresh(F32, 6, 8, 2);
        assertResult(b.cont(turned, 16, 6)).computes(Op.CONT).reads(turned).isFresh(F32, 16, 6);
    }

    @Test
    void refusesToMakeContiguousInAShapeOfOtherSize() {
        assertRefused(b, () -> b.cont(turned, 16, 7), Op.CONT, "96 elements do not fill the shape [16, 7]", turned);
    }

    @Test
    void namesCopiesAfterTheirSource() {
        Tensor nameless = b.tensor(F32, 96);

        assertThat(b.cont(x).name()).isEqualTo("x (cont)");
        assertThat(b.cast(x, F16).name()).isEqualTo("x (copy)");
        assertThat(b.cpy(x, nameless).name()).isEqualTo("x (copy)");
        assertThat(b.cpy(x, b.tensor(F32, 96).named("y")).name()).isEqualTo("y (copy of x)");
        assertThat(b.cpy(nameless, x).name()).isEqualTo("x (copy)");
    }

    @Test
    void stringsTogetherAlongEachDimension() {
        Tensor y = b.tensor(F32, 8, 5, 2);

        assertResult(b.concat(x, y, 1))
                .computes(Op.CONCAT)
                .hasParameters(new OpParameters.Concat(1))
                .reads(x, y)
                .isFresh(F32, 8, 11, 2);
        assertResult(b.concat(x, x, 0)).isFresh(F32, 16, 6, 2);
        assertResult(b.concat(x, x, 3)).isFresh(F32, 8, 6, 2, 2);
    }

    @Test
    void refusesToStringTogetherWhatDiffersElsewhere() {
        Tensor y = b.tensor(F32, 8, 5, 2);
        Tensor half = b.tensor(F16, 8, 6, 2);

        assertRefused(b, () -> b.concat(x, y, 0), Op.CONCAT, "in all other dimensions", x, y);
        assertRefused(b, () -> b.concat(x, half, 1), Op.CONCAT, "the same type", x, half);
        assertRefused(b, () -> b.concat(x, x, 4), Op.CONCAT, "0, 1, 2 or 3", x);
    }

    @Test
    void repeats() {
        Tensor model = b.tensor(I32, 16, 6, 6, 3);

        assertResult(b.repeat(x, model)).computes(Op.REPEAT).reads(x).isFresh(F32, 16, 6, 6, 3);
        assertResult(b.repeat(x, 8, 12, 2)).computes(Op.REPEAT).reads(x).isFresh(F32, 8, 12, 2);
    }

    @Test
    void refusesToRepeatHalfTimes() {
        assertRefused(b, () -> b.repeat(x, 12, 6, 2), Op.REPEAT, "into the shape [12, 6, 2]", x);
    }

    @Test
    void refusesToRepeatNothing() {
        Tensor nothing = b.tensor(F32, 0, 6);

        assertRefused(b, () -> b.repeat(nothing, 4, 6), Op.REPEAT, "into the shape [4, 6]", nothing);
    }

    @Test
    void setsARegion() {
        Tensor part = b.tensor(F32, 4, 3);

        assertResult(b.set(x, part, 32, 192, 384, 16))
                .computes(Op.SET)
                .hasParameters(new OpParameters.Region(32, 192, 384, 16, false))
                .reads(x, part)
                .isFresh(F32, 8, 6, 2);
        assertResult(b.setInplace(x, part, 32, 192, 384, 16))
                .hasParameters(new OpParameters.Region(32, 192, 384, 16, true))
                .reads(x, part)
                .overwrites(x);
    }

    @Test
    void setsARegionWithTheStridesOfTheWhole() {
        Tensor row = b.tensor(F32, 4);
        OpParameters.Region region = new OpParameters.Region(32, 192, 384, 16, false);
        OpParameters.Region inPlace = new OpParameters.Region(32, 192, 384, 16, true);

        assertResult(b.set1d(x, row, 16)).hasParameters(region).isFresh(F32, 8, 6, 2);
        assertResult(b.set1dInplace(x, row, 16)).hasParameters(inPlace).overwrites(x);
    }

    @Test
    void setsARegionWithAStrideOfItsOwn() {
        Tensor part = b.tensor(F32, 4, 3);
        OpParameters.Region region = new OpParameters.Region(64, 192, 384, 16, false);
        OpParameters.Region inPlace = new OpParameters.Region(64, 192, 384, 16, true);

        assertResult(b.set2d(x, part, 64, 16)).hasParameters(region).isFresh(F32, 8, 6, 2);
        assertResult(b.set2dInplace(x, part, 64, 16)).hasParameters(inPlace).overwrites(x);
    }

    @Test
    void refusesARegionOutsideTheWhole() {
        Tensor part = b.tensor(F32, 4, 3);

        assertRefused(b, () -> b.set(x, part, 32, 192, 384, 308), Op.SET, "within the first", x, part);
        assertRefused(b, () -> b.set1d(x, part, -4), Op.SET, "within the first", x, part);
        assertRefused(b, () -> b.set2d(x, part, 200, 0), Op.SET, "within the first", x, part);
    }

    @Test
    void refusesToSetNumbersOfAnotherType() {
        Tensor whole = b.tensor(I32, 4);

        assertRefused(b, () -> b.set1d(x, whole, 0), Op.SET, "the same type", x, whole);
    }

    @Test
    void addsToARegion() {
        Tensor part = b.tensor(F32, 4, 3);

        assertResult(b.acc(x, part, 32, 192, 384, 16))
                .computes(Op.ACC)
                .hasParameters(new OpParameters.Region(32, 192, 384, 16, false))
                .reads(x, part)
                .isFresh(F32, 8, 6, 2);
        assertResult(b.accInplace(x, part, 32, 192, 384, 16))
                .hasParameters(new OpParameters.Region(32, 192, 384, 16, true))
                .reads(x, part)
                .overwrites(x);
    }

    @Test
    void refusesToAddToWhatIsNotF32OrHasGaps() {
        Tensor half = b.tensor(F16, 8, 6);
        Tensor part = b.tensor(F32, 4);

        assertRefused(b, () -> b.acc(half, half, 16, 96, 96, 0), Op.ACC, "must be f32", half);
        assertRefused(b, () -> b.acc(turned, part, 24, 192, 384, 0), Op.ACC, "without gaps", turned, part);
    }
}
