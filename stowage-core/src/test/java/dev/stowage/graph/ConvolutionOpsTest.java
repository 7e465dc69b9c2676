package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.BF16;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConvolutionOpsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Window two = Window.of(2, 1);

    /** The ops of the nodes a result needs, in the order they run. */
    private List<Op> nodes(Tensor result) {
        return b.build(result).nodes().stream().map(Tensor::op).toList();
    }

    @Test
    void convolvesSequencesByAProduct() {
        Tensor kernel = b.tensor(F16, 3, 4, 6);
        Tensor sequence = b.tensor(F32, 9, 4, 2);
        Tensor result = b.conv1d(kernel, sequence, two);
        Tensor product = result.source(0);
        Tensor columns = product.source(0).source(0);

        assertThat(nodes(result)).containsExactly(Op.IM2COL, Op.RESHAPE, Op.RESHAPE, Op.MUL_MAT, Op.RESHAPE);
        assertResult(columns).computes(Op.IM2COL).reads(kernel, sequence).isFresh(F16, 12, 5, 2);
        assertResult(product.source(0)).isViewOf(columns, 0).hasShape(12, 10);
        assertResult(product.source(1)).isViewOf(kernel, 0).hasShape(12, 6);
        assertResult(product).computes(Op.MUL_MAT).isFresh(F32, 10, 6);
        assertResult(result).computes(Op.RESHAPE).isViewOf(product, 0).hasShape(5, 6, 2);
    }

    @Test
    void padsSequencesByHalfTheKernel() {
        Tensor kernel = b.tensor(F16, 5, 4, 6);
        Tensor sequence = b.tensor(F32, 9, 4);

        assertResult(b.conv1dHalfPadded(kernel, sequence, 1, 1)).hasShape(9, 6);
    }

    @Test
    void refusesSequencesOfOtherChannels() {
        Tensor kernel = b.tensor(F16, 3, 5, 6);
        Tensor sequence = b.tensor(F32, 9, 4);

        assertRefused(b, () -> b.conv1d(kernel, sequence, two), Op.IM2COL, "the same channels", kernel, sequence);
        assertRefused(
                b, () -> b.conv1dHalfPadded(kernel, sequence, 1, 1), Op.IM2COL, "the same channels", kernel, sequence);
    }

    @Test
    void takesBackTheFirstStepsWhenALaterOneIsRefused() {
        Tensor kernel = b.permute(b.tensor(F16, 4, 3, 6), 1, 0, 2, 3);
        Tensor sequence = b.tensor(F32, 9, 4);

        assertRefused(b, () -> b.conv1d(kernel, sequence, two), Op.RESHAPE, "without gaps", kernel);
    }

    @Test
    void convolvesTheChannelsOfASequenceByAProduct() {
        Tensor kernel = b.tensor(F16, 3, 1, 4);
        Tensor sequence = b.tensor(F32, 9, 4);
        Tensor result = b.conv1dDepthwise(kernel, sequence, two);

        assertThat(nodes(result)).containsExactly(Op.RESHAPE, Op.IM2COL, Op.MUL_MAT, Op.RESHAPE);
        assertResult(result.source(0)).computes(Op.MUL_MAT).isFresh(F32, 5, 1, 4);
        assertResult(result).isViewOf(result.source(0), 0).hasShape(5, 4);
        assertResult(b.conv1dDepthwiseHalfPadded(kernel, sequence, 1, 1)).hasShape(9, 4);
    }

    @Test
    void refusesKernelsThatMixChannels() {
        Tensor kernel = b.tensor(F16, 3, 2, 4);
        Tensor sequence = b.tensor(F32, 9, 4);

        assertRefused(b, () -> b.conv1dDepthwise(kernel, sequence, two), Op.IM2COL, "the same channels", kernel);
    }

    @Test
    void convolvesImagesByAProduct() {
        Tensor kernel = b.tensor(F16, 3, 3, 4, 6);
        Tensor images = b.tensor(F32, 9, 7, 4, 2);
        Tensor result = b.conv2d(kernel, images, two, Window.UNIT);
        Tensor product = result.source(0).source(0).source(0);

        assertThat(nodes(result))
                .containsExactly(Op.IM2COL, Op.RESHAPE, Op.RESHAPE, Op.MUL_MAT, Op.RESHAPE, Op.PERMUTE, Op.CONT);
        assertResult(product.source(0).source(0)).isFresh(F16, 36, 5, 5, 2);
        assertResult(product).computes(Op.MUL_MAT).isFresh(F32, 50, 6);
        assertResult(result.source(0))
                .hasParameters(new OpParameters.Permute(0, 1, 3, 2))
                .isViewOf(product, 0);
        assertResult(result).computes(Op.CONT).isFresh(F32, 5, 5, 6, 2);
    }

    @Test
    void laysOutColumnsAsFloatsForKernelsOfBrainFloats() {
        Tensor kernel = b.tensor(BF16, 3, 3, 4, 6);
        Tensor images = b.tensor(F32, 9, 7, 4, 2);

        assertThat(b.build(b.conv2d(kernel, images, two, two))
                        .nodes()
                        .getFirst()
                        .type())
                .isEqualTo(F32);
    }

    @Test
    void convolvesImagesInTilesOrPadded() {
        Tensor kernel = b.tensor(F16, 3, 2, 4, 6);
        Tensor images = b.tensor(F32, 9, 8, 4);

        assertResult(b.conv2dTiled(kernel, images)).isFresh(F32, 3, 4, 6);
        assertResult(b.conv2dHalfPadded(kernel, images)).isFresh(F32, 9, 9, 6);
    }

    @Test
    void refusesImagesOfOtherChannels() {
        Tensor kernel = b.tensor(F16, 3, 3, 4, 6);
        Tensor images = b.tensor(F32, 9, 7, 3);

        assertRefused(b, () -> b.conv2d(kernel, images, two, two), Op.IM2COL, "the same channels", kernel, images);
        assertRefused(b, () -> b.conv2dTiled(kernel, images), Op.IM2COL, "the same channels", kernel, images);
        assertRefused(b, () -> b.conv2dHalfPadded(kernel, images), Op.IM2COL, "the same channels", kernel, images);
    }

    @Test
    void convolvesTheChannelsOfImagesByAProduct() {
        Tensor kernel = b.tensor(F16, 3, 3, 1, 4);
        Tensor images = b.tensor(F32, 9, 7, 4, 2);
        Tensor result = b.conv2dDepthwise(kernel, images, two, Window.UNIT);

        assertThat(nodes(result))
                .containsExactly(Op.RESHAPE, Op.RESHAPE, Op.RESHAPE, Op.IM2COL, Op.RESHAPE, Op.MUL_MAT, Op.RESHAPE);
        assertResult(result.source(0)).computes(Op.MUL_MAT).isFresh(F32, 1, 25, 4, 2);
        assertResult(result).isViewOf(result.source(0), 0).hasShape(5, 5, 4, 2);
    }

    @Test
    void refusesOtherThanOneKernelPerChannel() {
        Tensor kernel = b.tensor(F16, 3, 3, 1, 5);
        Tensor images = b.tensor(F32, 9, 7, 4);

        assertRefused(b, () -> b.conv2dDepthwise(kernel, images, two, two), Op.MUL_MAT, "whole number of matrices");
    }

    @Test
    void convolvesVolumesByAProduct() {
        Tensor kernel = b.tensor(F16, 3, 3, 2, 12);
        Tensor volumes = b.tensor(F32, 9, 7, 5, 6);
        Tensor result = b.conv3d(kernel, volumes, 3, two, Window.UNIT, Window.UNIT);

        assertThat(nodes(result))
                .containsExactly(
                        Op.IM2COL_3D, Op.RESHAPE, Op.RESHAPE, Op.MUL_MAT, Op.RESHAPE, Op.PERMUTE, Op.CONT, Op.RESHAPE);
        assertResult(result).isViewOf(result.source(0), 0).hasShape(5, 5, 4, 8);
    }

    @Test
    void refusesVolumesOfBrokenChannels() {
        Tensor kernel = b.tensor(F16, 3, 3, 2, 12);
        Tensor volumes = b.tensor(F32, 9, 7, 5, 7);

        assertRefused(
                b,
                () -> b.conv3d(kernel, volumes, 3, two, two, two),
                Op.IM2COL_3D,
                "a whole number of times the channels",
                kernel,
                volumes);
    }
}
