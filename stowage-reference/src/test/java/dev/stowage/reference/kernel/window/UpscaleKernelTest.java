package dev.stowage.reference.kernel.window;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.InterpolationMode;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class UpscaleKernelTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @Test
    void theNearestElementIsRepeatedInEveryDimension() {
        Random random = new Random(1);
        TestGrid a = TestGrid.random(random, 3, 2, 2, 2);
        Tensor result = ops.interpolate(
                a.permuted(computation, ElementType.F32), new Shape(6, 6, 4, 2), InterpolationMode.NEAREST);
        TestGrid expected = TestGrid.of(6, 6, 4, 2, (i0, i1, i2, i3) -> a.get(i0 / 2, i1 / 3, i2 / 2, i3));
        assertThat(computation.compute(result)).as("seed 1").containsExactly(expected.values());
    }

    /** New points are at a quarter and three quarters between old ones; outside the outermost nothing changes. */
    @Test
    void linearPointsAreBetweenTheCentresOfElements() {
        Tensor result = ops.upscale(computation.f32(new double[] {0, 4, 8}, 3, 1), 2, InterpolationMode.BILINEAR);
        double[] row = {0, 1, 3, 5, 7, 8};
        assertThat(computation.compute(result)).containsExactly(TestNumbers.of(12, n -> row[n % 6]));
    }

    @Test
    void alignedCornersStayWhereTheyAre() {
        Tensor image = computation.f32(new double[] {0, 2, 4, 6}, 2, 2);
        Tensor result = ops.interpolate(image, Shape.of(3, 3), InterpolationMode.BILINEAR, true, false);
        assertThat(computation.compute(result)).containsExactly(0, 1, 2, 2, 3, 4, 4, 5, 6);
    }

    @ParameterizedTest
    @CsvSource({
        "BILINEAR, false, false",
        "BILINEAR, true, false",
        "BILINEAR, false, true",
        "BICUBIC, false, false",
        "BICUBIC, true, false",
        "NEAREST, false, false",
        "NEAREST, true, false"
    })
    void aPlainImageStaysPlain(InterpolationMode mode, boolean aligned, boolean smoothed) {
        TestGrid plain = TestGrid.of(5, 4, 2, 1, (_, _, _, _) -> 3);
        for (Shape shape : new Shape[] {Shape.of(11, 9, 2), Shape.of(2, 3, 2), Shape.of(1, 1, 2)}) {
            Tensor result = ops.interpolate(plain.in(computation), shape, mode, aligned, smoothed);
            double[] expected = TestNumbers.of((int) shape.elements(), _ -> 3);
            assertClose(computation.compute(result), expected, FLOAT);
        }
    }

    @ParameterizedTest
    @EnumSource(InterpolationMode.class)
    void anImageOfItsOwnSizeIsItself(InterpolationMode mode) {
        Random random = new Random(2);
        TestGrid a = TestGrid.random(random, 5, 4, 2, 2);
        Tensor result = ops.interpolate(a.in(computation), new Shape(5, 4, 2, 2), mode);
        assertThat(computation.compute(result)).as("seed 2").containsExactly(a.values());
    }

    /** The weight of an element for a point so far away, with the slope of -0.75 that image libraries use. */
    private static double cubicWeight(double distance) {
        double x = Math.abs(distance);
        if (x <= 1) {
            return 1.25 * x * x * x - 2.25 * x * x + 1;
        }
        return x < 2 ? -0.75 * x * x * x + 3.75 * x * x - 6 * x + 3 : 0;
    }

    @Test
    void aCubicPointIsTheSumOfAllElementsByTheirDistance() {
        Random random = new Random(4);
        TestGrid a = TestGrid.random(random, 5, 4, 1, 1);
        Tensor result = ops.upscale(a.in(computation), 3, InterpolationMode.BICUBIC);
        TestGrid expected = TestGrid.of(15, 12, 1, 1, (i0, i1, _, _) -> {
            double x = (i0 + 0.5) / 3 - 0.5;
            double y = (i1 + 0.5) / 3 - 0.5;
            double sum = 0;
            // Beyond the edges the outermost elements go on.
            for (int row = -3; row < 7; row++) {
                for (int column = -3; column < 8; column++) {
                    double element = a.get(Math.clamp(column, 0, 4), Math.clamp(row, 0, 3), 0, 0);
                    sum += cubicWeight(column - x) * cubicWeight(row - y) * element;
                }
            }
            return sum;
        });
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 4");
    }

    /** Halfway between elements the four neighbours weigh -3/32, 19/32, 19/32 and -3/32. */
    @Test
    void aCubicWeighsFourNeighbours() {
        Tensor a = computation.f32(new double[] {32, 64, 0, 32, 64}, 5, 1);
        Tensor result = ops.interpolate(a, Shape.of(9, 1), InterpolationMode.BICUBIC, true, false);
        double[] actual = computation.compute(result);
        assertThat(actual[3]).isEqualTo((-3 * 32 + 19 * 64 + 19 * 0 - 3 * 32) / 32.0);
        assertThat(actual[4]).isEqualTo(0);
        assertThat(actual[5]).isEqualTo((-3 * 64 + 19 * 0 + 19 * 32 - 3 * 64) / 32.0);
    }

    /** At half the size the elements 0.5 and 1.5 away weigh 3 to 1. */
    @Test
    void aSmoothedImageShrinksByWeightedMeans() {
        Tensor a = computation.f32(new double[] {8, 0, 16, 24, 40, 0, 8, 8}, 8, 1);
        Tensor result = ops.interpolate(a, Shape.of(4, 1), InterpolationMode.BILINEAR, false, true);
        double[] expected = {
            (3 * 8 + 3 * 0 + 16) / 7.0,
            (0 + 3 * 16 + 3 * 24 + 40) / 8.0,
            (24 + 3 * 40 + 3 * 0 + 8) / 8.0,
            (0 + 3 * 8 + 3 * 8) / 7.0
        };
        assertClose(computation.compute(result), expected, FLOAT);
    }

    @Test
    void anImageThatGrowsIsSmoothAlready() {
        Random random = new Random(3);
        TestGrid a = TestGrid.random(random, 4, 3, 1, 1);
        Shape shape = Shape.of(8, 9);
        double[] plain = computation.compute(ops.interpolate(a.in(computation), shape, InterpolationMode.BILINEAR));
        double[] smoothed =
                computation.compute(ops.interpolate(a.in(computation), shape, InterpolationMode.BILINEAR, false, true));
        assertClose(smoothed, plain, FLOAT, "seed 3");
    }

    @Test
    void saysWhyNothingCannotBeInterpolated() {
        Tensor node = ops.interpolate(ops.tensor(ElementType.F32, 0, 3), Shape.of(2, 2), InterpolationMode.NEAREST);
        assertThat(new ReferenceProvider().devices().getFirst().supports(node).reason())
                .contains("without elements");
    }
}
