package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.BF16;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;
import static dev.stowage.tensor.ElementType.I32;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WindowOpsTest {

    private static final String FIT = "the kernel must fit into the padded input";

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor kernel = b.weight("kernel", F16, 3, 2, 4, 5);
    private final Tensor image = b.input("image", F32, 9, 8, 4, 2);
    private final Window width = new Window(2, 1, 2);
    private final Window height = new Window(1, 0, 3);

    /** Positions found by trying: the window starts in the padding and steps until its last element is outside. */
    private static long positions(long input, long kernel, Window window) {
        long count = 0;
        long start = -window.padding();
        while (start + window.dilation() * (kernel - 1) < input + window.padding()) {
            count++;
            start += window.stride();
        }
        return count;
    }

    @Test
    void laysOutSequences() {
        Tensor small = b.tensor(F16, 3, 4, 6);
        Tensor sequence = b.tensor(F32, 10, 4, 2);

        assertResult(b.im2col1d(small, sequence, width, F16))
                .computes(Op.IM2COL)
                .hasParameters(new OpParameters.Im2col(width, Window.UNIT, false))
                .reads(small, sequence)
                .isFresh(F16, 12, positions(10, 3, width), 2);
    }

    @Test
    void refusesSequencesOfOtherChannels() {
        Tensor small = b.tensor(F16, 3, 5, 6);
        Tensor sequence = b.tensor(F32, 10, 4);

        assertRefused(
                b, () -> b.im2col1d(small, sequence, width, F16), Op.IM2COL, "the same channels", small, sequence);
    }

    @Test
    void laysOutImages() {
        assertResult(b.im2col(kernel, image, width, height, F32))
                .computes(Op.IM2COL)
                .hasParameters(new OpParameters.Im2col(width, height, true))
                .reads(kernel, image)
                .isFresh(F32, 24, positions(9, 3, width), positions(8, 2, height), 2);
    }

    @Test
    void countsThePositionsOfAnyWindow() {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            Window window = new Window(1 + random.nextInt(4), random.nextInt(4), 1 + random.nextInt(3));
            Tensor small = b.tensor(F16, 1 + random.nextInt(5), 1, 1);
            Tensor sequence = b.tensor(F32, 1 + random.nextInt(20), 1, 1);
            long expected = positions(sequence.dim(0), small.dim(0), window);
            if (expected > 0) {
                assertThat(b.im2col1d(small, sequence, window, F32).dim(1))
                        .as("seed %d", seed)
                        .isEqualTo(expected);
            } else {
                assertRefused(b, () -> b.im2col1d(small, sequence, window, F32), Op.IM2COL, FIT, small, sequence);
            }
        }
    }

    @Test
    void refusesImagesOfOtherChannels() {
        Tensor grey = b.tensor(F32, 9, 8, 1);

        assertRefused(
                b, () -> b.im2col(kernel, grey, width, height, F16), Op.IM2COL, "the same channels", kernel, grey);
        assertRefused(
                b, () -> b.conv2dDirect(kernel, grey, width, height), Op.CONV_2D, "the same channels", kernel, grey);
    }

    @Test
    void laysOutVolumes() {
        Tensor cube = b.tensor(F16, 3, 2, 2, 12);
        Tensor volumes = b.tensor(F32, 9, 8, 7, 6);

        assertResult(b.im2col3d(cube, volumes, 3, width, height, Window.UNIT, F16))
                .computes(Op.IM2COL_3D)
                .hasParameters(new OpParameters.Im2col3d(width, height, Window.UNIT, 3))
                .reads(cube, volumes)
                .isFresh(F16, 36, positions(9, 3, width), positions(8, 2, height), 6 * 2);
    }

    @Test
    void refusesVolumesOfBrokenChannels() {
        Tensor cube = b.tensor(F16, 3, 2, 2, 12);
        Tensor volumes = b.tensor(F32, 9, 8, 7, 7);

        assertRefused(
                b,
                () -> b.im2col3d(cube, volumes, 3, width, height, Window.UNIT, F16),
                Op.IM2COL_3D,
                "a whole number of times the channels",
                cube,
                volumes);
    }

    @Test
    void addsUpWindows() {
        Tensor columns = b.tensor(BF16, 12, 5);

        assertResult(b.col2im1d(columns, 2, 4, 1))
                .computes(Op.COL2IM_1D)
                .hasParameters(new OpParameters.Col2im1d(2, 4, 1))
                .reads(columns)
                .isFresh(BF16, 4 * 2 + 3 - 2, 4);
    }

    @Test
    void refusesWindowsOfBrokenChannelsOrTypes() {
        Tensor columns = b.tensor(F32, 12, 5);
        Tensor whole = b.tensor(I32, 12, 5);

        assertRefused(b, () -> b.col2im1d(columns, 2, 5, 0), Op.COL2IM_1D, "times the channels", columns);
        assertRefused(b, () -> b.col2im1d(columns, 1, 12, 9), Op.COL2IM_1D, "must leave something", columns);
        assertRefused(b, () -> b.col2im1d(columns, 0, 4, 0), Op.COL2IM_1D, "above 0", columns);
        assertRefused(b, () -> b.col2im1d(whole, 2, 4, 0), Op.COL2IM_1D, "f32, f16 or bf16", whole);
    }

    @Test
    void convolvesImagesInOneOp() {
        assertResult(b.conv2dDirect(kernel, image, width, height))
                .computes(Op.CONV_2D)
                .hasParameters(new OpParameters.Conv2d(width, height))
                .reads(kernel, image)
                .isFresh(F32, positions(9, 3, width), positions(8, 2, height), 5, 2);
    }

    @Test
    void refusesKernelsLargerThanTheImage() {
        Tensor tiny = b.tensor(F32, 2, 8, 4);

        assertRefused(b, () -> b.conv2dDirect(kernel, tiny, Window.UNIT, Window.UNIT), Op.CONV_2D, FIT, kernel, tiny);
    }

    @Test
    void convolvesChannelsInOneOp() {
        Tensor perChannel = b.tensor(F16, 3, 2, 1, 4);

        assertResult(b.conv2dDepthwiseDirect(perChannel, image, width, height))
                .computes(Op.CONV_2D_DW)
                .hasParameters(new OpParameters.Conv2d(width, height))
                .reads(perChannel, image)
                .isFresh(F32, positions(9, 3, width), positions(8, 2, height), 4, 2);
    }

    @Test
    void keepsChannelsContiguousWhereTheyAre() {
        Tensor perChannel = b.tensor(F16, 3, 2, 1, 4);
        Tensor channelsFirst = b.permute(b.tensor(F16, 4, 9, 8, 2), 2, 0, 1, 3);

        Tensor result = b.conv2dDepthwiseDirect(perChannel, channelsFirst, Window.UNIT, Window.UNIT);

        assertResult(result)
                .reads(perChannel, channelsFirst)
                .hasShape(7, 7, 4, 2)
                .hasStrides(8, 56, 2, 392);
        assertThat(result.isView()).isFalse();
        assertThat(result.type()).isEqualTo(F16);
    }

    @Test
    void refusesOtherThanOneKernelPerChannel() {
        Tensor five = b.tensor(F16, 3, 2, 1, 5);

        assertRefused(
                b,
                () -> b.conv2dDepthwiseDirect(five, image, width, height),
                Op.CONV_2D_DW,
                "one kernel for each channel",
                five,
                image);
    }

    @Test
    void convolvesVolumesInOneOp() {
        Tensor cube = b.tensor(F16, 3, 2, 2, 12);
        Tensor volumes = b.tensor(F16, 9, 8, 7, 6);

        assertResult(b.conv3dDirect(cube, volumes, width, height, Window.UNIT, 3, 2, 4))
                .computes(Op.CONV_3D)
                .hasParameters(new OpParameters.Conv3d(width, height, Window.UNIT, 3, 2, 4))
                .reads(cube, volumes)
                .isFresh(F32, positions(9, 3, width), positions(8, 2, height), 6, 8);
    }

    @Test
    void refusesVolumesOfOtherCounts() {
        Tensor cube = b.tensor(F16, 3, 2, 2, 12);
        Tensor volumes = b.tensor(F16, 9, 8, 7, 6);

        assertRefused(
                b,
                () -> b.conv3dDirect(cube, volumes, width, height, Window.UNIT, 3, 2, 5),
                Op.CONV_3D,
                "the channels times the kernels",
                cube,
                volumes);
    }

    @Test
    void convolvesSequencesTransposed() {
        Tensor up = b.tensor(F16, 4, 3, 5);
        Tensor sequence = b.tensor(F32, 10, 5);

        assertResult(b.convTranspose1d(up, sequence, 2))
                .computes(Op.CONV_TRANSPOSE_1D)
                .hasParameters(new OpParameters.ConvTranspose(2))
                .reads(up, sequence)
                .isFresh(F32, 9 * 2 + 4, 3);
    }

    @Test
    void convolvesImagesTransposed() {
        Tensor up = b.tensor(F16, 4, 2, 3, 4);

        assertResult(b.convTranspose2d(up, image, 3))
                .computes(Op.CONV_TRANSPOSE_2D)
                .hasParameters(new OpParameters.ConvTranspose(3))
                .reads(up, image)
                .isFresh(F32, 8 * 3 + 4, 7 * 3 + 2, 3, 2);
    }

    @Test
    void refusesToConvolveOtherChannelsTransposed() {
        Tensor up = b.tensor(F16, 4, 2, 3, 6);

        assertRefused(b, () -> b.convTranspose2d(up, image, 3), Op.CONV_TRANSPOSE_2D, "the channels", up, image);
        assertRefused(b, () -> b.convTranspose1d(up, image, 3), Op.CONV_TRANSPOSE_1D, "two dimensions", up, image);
    }

    @Test
    void refusesToConvolveTransposedWithoutSteps() {
        Tensor up = b.tensor(F16, 4, 2, 3, 4);

        assertRefused(b, () -> b.convTranspose2d(up, image, 0), Op.CONV_TRANSPOSE_2D, "stride", up, image);
    }
}
