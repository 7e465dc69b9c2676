package dev.stowage.graph;

import static dev.stowage.graph.OpAssert.assertRefused;
import static dev.stowage.graph.OpAssert.assertResult;
import static dev.stowage.tensor.ElementType.F16;
import static dev.stowage.tensor.ElementType.F32;

import dev.stowage.tensor.InterpolationMode;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.PoolKind;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ImageOpsTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor image = b.tensor(F32, 10, 8, 3, 2).named("image");

    @ParameterizedTest
    @EnumSource
    void poolsRows(PoolKind kind) {
        assertResult(b.pool1d(image, kind, 3, 2, 1))
                .computes(Op.POOL_1D)
                .hasParameters(new OpParameters.Pool1d(kind, 3, 2, 1))
                .reads(image)
                .isFresh(F32, 5, 8, 3, 2);
    }

    @ParameterizedTest
    @EnumSource
    void poolsImages(PoolKind kind) {
        assertResult(b.pool2d(image, kind, 2, 4, 2, 3, 0f, 1f))
                .computes(Op.POOL_2D)
                .hasParameters(new OpParameters.Pool2d(kind, 2, 4, 2, 3, 0, 1))
                .reads(image)
                .isFresh(F32, 5, 3, 3, 2);
    }

    @Test
    void countsHalfPaddings() {
        assertResult(b.pool2d(image, PoolKind.AVG, 3, 3, 2, 2, .5f, .5f))
                .hasParameters(new OpParameters.Pool2d(PoolKind.AVG, 3, 3, 2, 2, 0, 0))
                .isFresh(F32, 5, 4, 3, 2);
    }

    @Test
    void refusesPoolsLargerThanTheImage() {
        assertRefused(b, () -> b.pool1d(image, PoolKind.MAX, 11, 1, 0), Op.POOL_1D, "must fit", image);
        assertRefused(b, () -> b.pool2d(image, PoolKind.MAX, 2, 9, 1, 1, 0f, 0f), Op.POOL_2D, "must fit", image);
        assertRefused(b, () -> b.pool1d(image, PoolKind.MAX, 2, 0, 0), Op.POOL_1D, "above 0", image);
    }

    @ParameterizedTest
    @EnumSource
    void scalesUp(InterpolationMode mode) {
        assertResult(b.upscale(image, 3, mode))
                .computes(Op.UPSCALE)
                .hasParameters(new OpParameters.Interpolate(mode, false, false))
                .reads(image)
                .isFresh(F32, 30, 24, 3, 2);
    }

    @Test
    void refusesToScaleUpByNothing() {
        assertRefused(b, () -> b.upscale(image, 1, InterpolationMode.NEAREST), Op.UPSCALE, "above 1", image);
    }

    @ParameterizedTest
    @EnumSource
    void interpolatesToAnyShape(InterpolationMode mode) {
        assertResult(b.interpolate(image, new Shape(7, 5, 3, 2), mode))
                .computes(Op.UPSCALE)
                .hasParameters(new OpParameters.Interpolate(mode, false, false))
                .reads(image)
                .isFresh(F32, 7, 5, 3, 2);
        assertResult(b.interpolate(image, new Shape(7, 5, 3, 2), mode, true, false))
                .hasParameters(new OpParameters.Interpolate(mode, true, false));
    }

    @Test
    void refusesToSmoothOtherModesAndTypes() {
        Shape shape = Shape.of(5, 4);
        Tensor half = b.tensor(F16, 10, 8);

        assertRefused(
                b,
                () -> b.interpolate(image, shape, InterpolationMode.BICUBIC, false, true),
                Op.UPSCALE,
                "only the bilinear mode",
                image);
        assertRefused(b, () -> b.interpolate(half, shape, InterpolationMode.NEAREST), Op.UPSCALE, "must be f32", half);
    }

    @Test
    void padsAtTheEnd() {
        assertResult(b.pad(image, 1, 2, 3, 4))
                .computes(Op.PAD)
                .hasParameters(new OpParameters.Pad(0, 1, 0, 2, 0, 3, 0, 4, false))
                .reads(image)
                .isFresh(F32, 11, 10, 6, 6);
        assertResult(b.padCircular(image, 1, 2, 3, 4))
                .hasParameters(new OpParameters.Pad(0, 1, 0, 2, 0, 3, 0, 4, true))
                .isFresh(F32, 11, 10, 6, 6);
    }

    @Test
    void padsAtBothEnds() {
        OpParameters.Pad around = new OpParameters.Pad(1, 2, 3, 4, 5, 6, 7, 8, true);

        assertResult(b.pad(image, around)).hasParameters(around).reads(image).isFresh(F32, 13, 15, 14, 17);
    }

    @Test
    void refusesToCutOffByPadding() {
        assertRefused(b, () -> b.pad(image, 0, -1, 0, 0), Op.PAD, "no padding may be negative", image);
    }

    @Test
    void mirrorsTheEndsOfRows() {
        assertResult(b.padReflect1d(image, 3, 9))
                .computes(Op.PAD_REFLECT_1D)
                .hasParameters(new OpParameters.PadReflect1d(3, 9))
                .reads(image)
                .isFresh(F32, 22, 8, 3, 2);
    }

    @Test
    void refusesToMirrorMoreThanARow() {
        assertRefused(b, () -> b.padReflect1d(image, 10, 0), Op.PAD_REFLECT_1D, "shorter than a row", image);
        assertRefused(b, () -> b.padReflect1d(image, 0, -1), Op.PAD_REFLECT_1D, "negative", image);
    }

    @Test
    void rolls() {
        assertResult(b.roll(image, 9, -7, 0, 1))
                .computes(Op.ROLL)
                .hasParameters(new OpParameters.Roll(9, -7, 0, 1))
                .reads(image)
                .isFresh(F32, 10, 8, 3, 2);
    }

    @Test
    void refusesToRollAllTheWayRound() {
        assertRefused(b, () -> b.roll(image, 0, 8, 0, 0), Op.ROLL, "smaller than its dimension", image);
        assertRefused(b, () -> b.roll(image, Integer.MIN_VALUE, 0, 0, 0), Op.ROLL, "smaller than its dimension", image);
    }

    @Test
    void cutsIntoWindows() {
        Tensor patches = b.tensor(F32, 16, 9, 8);

        assertResult(b.winPart(patches, 4))
                .computes(Op.WIN_PART)
                .hasParameters(new OpParameters.WinPart(3, 2, 4))
                .reads(patches)
                .isFresh(F32, 16, 4, 4, 6);
    }

    @Test
    void refusesToCutIntoNothing() {
        assertRefused(b, () -> b.winPart(image, 0), Op.WIN_PART, "an edge of 0", image);
        assertRefused(b, () -> b.winPart(image, 4), Op.WIN_PART, "three dimensions", image);
    }

    @Test
    void putsWindowsTogetherAgain() {
        Tensor windows = b.tensor(F32, 16, 4, 4, 6);

        assertResult(b.winUnpart(windows, 9, 8, 4))
                .computes(Op.WIN_UNPART)
                .hasParameters(new OpParameters.WinUnpart(4))
                .reads(windows)
                .isFresh(F32, 16, 9, 8);
    }

    @Test
    void refusesTheWrongNumberOfWindows() {
        Tensor windows = b.tensor(F32, 16, 4, 4, 6);

        assertRefused(b, () -> b.winUnpart(windows, 13, 8, 4), Op.WIN_UNPART, "as many windows", windows);
        assertRefused(b, () -> b.winUnpart(windows, 9, 8, 5), Op.WIN_UNPART, "have that edge", windows);
    }
}
