package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.Q8_0;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

class ShapeOpsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.tensor(F32, 6, 4, 3, 2).named("x");

    @Test
    void reshapesWithoutMovingAByte() {
        assertResult(b.reshape(x, 24, 6))
                .computes(Op.RESHAPE)
                .hasParameters(OpParameters.NONE)
                .reads(x)
                .isViewOf(x, 0)
                .hasShape(24, 6)
                .hasStrides(4, 96, 576, 576);
    }

    @Test
    void reshapesLikeAnotherTensorWhateverItsStrides() {
        Tensor model = b.transpose(b.tensor(F16, 9, 16));

        assertResult(b.reshape(x, model))
                .reads(x)
                .isViewOf(x, 0)
                .hasShape(16, 9)
                .hasStrides(4, 64, 576, 576);
    }

    @Test
    void refusesAShapeOfMoreElements() {
        assertRefused(b, () -> b.reshape(x, 24, 7), Op.RESHAPE, "144 elements do not fill the shape [24, 7]", x);
    }

    @Test
    void refusesAShapeThereIsNot() {
        assertRefused(b, () -> b.reshape(x, -24, -6), Op.RESHAPE, "negative", x);
        assertRefused(b, () -> b.reshape(x), Op.RESHAPE, "1 to 4 dimensions", x);
    }

    @Test
    void refusesToReshapeWhatHasGaps() {
        Tensor turned = b.transpose(x);

        assertRefused(b, () -> b.reshape(turned, 144), Op.RESHAPE, "without gaps", turned);
    }

    @Test
    void refusesRowsThatAreNotAWholeNumberOfBlocks() {
        Tensor blocks = b.tensor(Q8_0, 64, 3).named("blocks");

        assertRefused(b, () -> b.reshape(blocks, 48, 4), Op.RESHAPE, "multiple of 32", blocks);
        assertRefused(b, () -> b.transpose(blocks), Op.TRANSPOSE, "multiple of 32", blocks);
        assertRefused(b, () -> b.view1d(blocks, 16, 0), Op.VIEW, "multiple of 32", blocks);
    }

    @Test
    void viewsPartOfARow() {
        assertResult(b.view1d(x, 5, 8))
                .computes(Op.VIEW)
                .hasParameters(new OpParameters.View(8))
                .reads(x)
                .isViewOf(x, 8)
                .hasShape(5)
                .hasStrides(4, 20, 20, 20);
    }

    @Test
    void viewsPartsOfRows() {
        assertResult(b.view2d(x, 3, 4, 24, 12)).isViewOf(x, 12).hasShape(3, 4).hasStrides(4, 24, 96, 96);
    }

    @Test
    void viewsPartsOfMatrices() {
        assertResult(b.view3d(x, 3, 2, 3, 24, 96, 0))
                .isViewOf(x, 0)
                .hasShape(3, 2, 3)
                .hasStrides(4, 24, 96, 288);
    }

    @Test
    void viewsWithAnyStrides() {
        assertResult(b.view4d(x, 6, 3, 4, 2, 96, 24, 288, 0))
                .isViewOf(x, 0)
                .hasShape(6, 3, 4, 2)
                .hasStrides(4, 96, 24, 288);
    }

    @Test
    void viewsAViewFromItsSource() {
        Tensor rows = b.view2d(x, 6, 3, 24, 24);

        assertResult(b.view1d(rows, 2, 28))
                .hasParameters(new OpParameters.View(28))
                .reads(rows)
                .isViewOf(x, 52)
                .hasShape(2);
    }

    @Test
    void viewsRowsThatOverlap() {
        assertResult(b.view2d(x, 4, 140, 4, 0)).isViewOf(x, 0).hasShape(4, 140).hasStrides(4, 4, 560, 560);
    }

    @Test
    void refusesViewsBeyondTheSource() {
        assertRefused(b, () -> b.view1d(x, 144, 4), Op.VIEW, "reaches beyond its source", x);
        assertRefused(b, () -> b.view2d(x, 6, 25, 24, 0), Op.VIEW, "reaches beyond its source", x);
        assertRefused(b, () -> b.view3d(x, 6, 4, 2, 24, 576, 0), Op.VIEW, "reaches beyond its source", x);
        assertRefused(b, () -> b.view4d(x, 1, 1, 1, 2, 4, 4, 576, 0), Op.VIEW, "reaches beyond its source", x);
    }

    @Test
    void refusesViewsFromBeforeTheSource() {
        assertRefused(b, () -> b.view1d(x, 1, -4), Op.VIEW, "before its source", x);
        assertRefused(b, () -> b.view2d(x, 1, 2, -4, 8), Op.VIEW, "stride is negative", x);
    }

    @Test
    void refusesStridesThatOverflow() {
        assertRefused(b, () -> b.view2d(x, 1, 4, Long.MAX_VALUE, 0), Op.VIEW, "larger than a long can count", x);
    }

    @Test
    void permutesDimensionsToTheirPlaces() {
        assertResult(b.permute(x, 2, 0, 3, 1))
                .computes(Op.PERMUTE)
                .hasParameters(new OpParameters.Permute(2, 0, 3, 1))
                .reads(x)
                .isViewOf(x, 0)
                .hasShape(4, 2, 6, 3)
                .hasStrides(24, 288, 4, 96);
    }

    @Test
    void permutesBlocksAfterTheFirstDimension() {
        Tensor blocks = b.tensor(Q8_0, 64, 3, 2);

        assertResult(b.permute(blocks, 0, 2, 1, 3)).hasShape(64, 2, 3).hasStrides(34, 204, 68, 408);
    }

    @Test
    void refusesAxesThatAreNotAPermutation() {
        assertRefused(b, () -> b.permute(x, 0, 1, 1, 3), Op.PERMUTE, "in some order", x);
        assertRefused(b, () -> b.permute(x, 0, 1, 2, 4), Op.PERMUTE, "in some order", x);
    }

    @Test
    void transposesRowsAndColumns() {
        assertResult(b.transpose(x))
                .computes(Op.TRANSPOSE)
                .reads(x)
                .isViewOf(x, 0)
                .hasShape(4, 6, 3, 2)
                .hasStrides(24, 4, 96, 288);
    }

    @Test
    void namesViewsAfterTheirSource() {
        assertThat(b.reshape(x, 144).name()).isEqualTo("x (reshaped)");
        assertThat(b.view1d(x, 1, 0).name()).isEqualTo("x (view)");
        assertThat(b.permute(x, 0, 1, 3, 2).name()).isEqualTo("x (permuted)");
        assertThat(b.transpose(x).name()).isEqualTo("x (transposed)");
        assertThat(b.transpose(b.tensor(F32, 2, 2)).name()).isEmpty();
    }
}
