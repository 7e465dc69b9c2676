package dev.stowage.cpu.op.window;

import dev.stowage.cpu.op.AgainstReference;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.InterpolationMode;
import dev.stowage.tensor.PoolKind;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Shapes larger than the conformance cases have: several panels, tiles that do not come out even, several strips. */
class WindowFamilyTest {

    private static Tensor f32(GraphBuilder b, String name, long... dimensions) {
        return b.input(name, ElementType.F32, dimensions);
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16"})
    void convolvesWithMoreTapsThanAPanelHolds(ElementType kernel) {
        AgainstReference.check(
                1,
                b -> b.conv2dDirect(
                        b.input("kernel", kernel, 3, 3, 64, 70),
                        f32(b, "data", 12, 11, 64, 2),
                        Window.of(1, 1),
                        Window.of(1, 1)));
    }

    @Test
    void convolvesWithStepsAndGaps() {
        AgainstReference.check(
                2,
                b -> b.conv2dDirect(
                        f32(b, "kernel", 5, 3, 7, 13),
                        f32(b, "data", 61, 47, 7, 2),
                        new Window(2, 3, 2),
                        new Window(3, 1, 2)));
    }

    @Test
    void convolvesVolumes() {
        AgainstReference.check(
                3,
                b -> b.conv3dDirect(
                        f32(b, "kernel", 3, 2, 3, 4 * 9),
                        f32(b, "data", 17, 13, 9, 4 * 2),
                        Window.of(1, 1),
                        Window.of(2, 1),
                        new Window(1, 2, 2),
                        4,
                        2,
                        9));
    }

    @Test
    void convolvesEachChannelOfAWideImage() {
        AgainstReference.check(
                4,
                b -> b.conv2dDepthwiseDirect(
                        f32(b, "kernel", 3, 3, 1, 5), f32(b, "data", 150, 20, 5, 2), Window.of(1, 1), Window.of(2, 1)));
    }

    @Test
    void addsUpTransposedConvolutionsOverSeveralStrips() {
        AgainstReference.check(5, b -> b.convTranspose1d(f32(b, "kernel", 16, 128, 2), f32(b, "data", 1100, 2), 8));
    }

    @Test
    void transposesConvolutionsOfSeveralImages() {
        AgainstReference.check(
                6,
                b -> b.convTranspose2d(
                        b.input("kernel", ElementType.F16, 3, 2, 10, 40), f32(b, "data", 21, 17, 40, 2), 2));
    }

    @Test
    void laysOutLongRows() {
        AgainstReference.check(
                7,
                b -> b.im2col(
                        f32(b, "kernel", 4, 3, 20, 1),
                        f32(b, "data", 40, 30, 20, 2),
                        new Window(1, 2, 2),
                        Window.of(2, 0),
                        ElementType.F32));
    }

    @Test
    void addsUpOverlappingWindowsOfALongSequence() {
        AgainstReference.check(8, b -> b.col2im1d(f32(b, "a", 10 * 3, 700), 3, 3, 2));
    }

    @ParameterizedTest
    @EnumSource(PoolKind.class)
    void poolsImages(PoolKind kind) {
        AgainstReference.check(9, b -> b.pool2d(f32(b, "a", 71, 53, 3, 2), kind, 5, 3, 2, 3, 2, 1));
    }

    @ParameterizedTest
    @EnumSource(PoolKind.class)
    void poolsSequences(PoolKind kind) {
        AgainstReference.check(10, b -> b.pool1d(f32(b, "a", 901, 7), kind, 4, 3, 2));
    }

    @ParameterizedTest
    @EnumSource(InterpolationMode.class)
    void stretchesImages(InterpolationMode mode) {
        AgainstReference.check(11, b -> b.interpolate(f32(b, "a", 37, 23, 3, 2), new Shape(101, 64, 3, 2), mode));
    }

    @ParameterizedTest
    @EnumSource(InterpolationMode.class)
    void keepsCornersInPlace(InterpolationMode mode) {
        AgainstReference.check(
                12, b -> b.interpolate(f32(b, "a", 37, 23, 3), new Shape(80, 11, 3, 1), mode, true, false));
    }

    @Test
    void smoothsImagesThatShrink() {
        AgainstReference.check(
                13,
                b -> b.interpolate(
                        f32(b, "a", 97, 83, 3), new Shape(31, 20, 3, 1), InterpolationMode.BILINEAR, false, true));
    }

    @Test
    void cutsImagesIntoWindowsAndPutsThemTogetherAgain() {
        AgainstReference.check(14, b -> b.winUnpart(b.winPart(f32(b, "a", 70, 33, 29), 7), 33, 29, 7));
    }

    @Test
    void addsRelativePositions() {
        AgainstReference.check(
                15,
                b -> b.addRelPos(
                        f32(b, "scores", 23 * 23, 6 * 5, 3),
                        f32(b, "across", 23, 5, 6, 3),
                        f32(b, "down", 23, 5, 6, 3)));
    }
}
