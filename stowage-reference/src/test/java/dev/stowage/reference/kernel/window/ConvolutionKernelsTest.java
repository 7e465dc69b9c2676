package dev.stowage.reference.kernel.window;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.HALF;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.Window;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ConvolutionKernelsTest {

    private static final Window WIDTH = new Window(2, 1, 2);
    private static final Window HEIGHT = new Window(1, 2, 1);

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @Test
    void slidesTheKernelWithoutTurningItRound() {
        Tensor kernel = computation.f32(new double[] {1, 10}, 2, 1, 1, 1);
        Tensor data = computation.f32(new double[] {1, 2, 3}, 3, 1, 1, 1);
        Tensor result = ops.conv2dDirect(kernel, data, Window.of(1, 1), Window.UNIT);
        assertThat(computation.compute(result)).containsExactly(10, 21, 32, 3);
    }

    /** The numbers are such that halves hold them, so that columns of halves lose nothing. */
    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16"})
    void theOneOpOnImagesIsTheSameAsColumnsAndAProduct(ElementType type) {
        Random random = new Random(1);
        Tensor kernel = TestGrid.random(random, 2, 3, 3, 4).in(computation, type);
        Tensor data = TestGrid.random(random, 6, 5, 3, 2).in(computation);
        double[] expected = computation.compute(ops.conv2d(kernel, data, WIDTH, HEIGHT));
        double[] actual = computation.compute(ops.conv2dDirect(kernel, data, WIDTH, HEIGHT));
        assertClose(actual, expected, FLOAT, "seed 1");
    }

    @Test
    void theOneOpOnVolumesIsTheSameAsColumnsAndAProduct() {
        Random random = new Random(2);
        Tensor kernel = TestGrid.random(random, 2, 3, 2, 2 * 3).in(computation);
        Tensor data = TestGrid.random(random, 4, 5, 4, 2 * 2).in(computation);
        Window depth = new Window(2, 1, 1);
        double[] product = computation.compute(ops.conv3d(kernel, data, 2, WIDTH, HEIGHT, depth));
        double[] direct = computation.compute(ops.conv3dDirect(kernel, data, WIDTH, HEIGHT, depth, 2, 2, 3));
        assertClose(direct, product, FLOAT, "seed 2");
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16"})
    void eachChannelHasAKernelOfItsOwn(ElementType type) {
        Random random = new Random(3);
        TestGrid kernel = TestGrid.random(random, 2, 3, 1, 4);
        TestGrid data = TestGrid.random(random, 6, 5, 4, 2);
        Tensor result = ops.conv2dDepthwiseDirect(kernel.in(computation, type), data.in(computation), WIDTH, HEIGHT);
        assertClose(computation.compute(result), depthwise(kernel, data).values(), FLOAT, "seed 3");
    }

    private static TestGrid depthwise(TestGrid kernel, TestGrid data) {
        return TestGrid.of(3, 7, 4, 2, (x, y, channel, n) -> {
            double sum = 0;
            for (int ky = 0; ky < 3; ky++) {
                for (int kx = 0; kx < 2; kx++) {
                    sum += kernel.get(kx, ky, 0, channel) * data.getOrZero(2 * x + 2 * kx - 1, y + ky - 2, channel, n);
                }
            }
            return sum;
        });
    }

    @Test
    void channelsMayBeContiguousInDataAndResult() {
        Random random = new Random(4);
        TestGrid kernel = TestGrid.random(random, 2, 3, 1, 4);
        TestGrid data = TestGrid.random(random, 6, 5, 4, 2);
        Tensor result =
                ops.conv2dDepthwiseDirect(kernel.in(computation), data.channelsFirst(computation), WIDTH, HEIGHT);
        assertThat(result.layout().hasContiguousChannels()).isTrue();
        assertClose(computation.compute(result), depthwise(kernel, data).values(), FLOAT, "seed 4");
    }

    @Test
    void onlyTheDepthwiseConvolutionDoesNotMultiplyWithThePadding() {
        double[] infinite = {Double.POSITIVE_INFINITY, 1};
        Tensor data = computation.f32(new double[] {1, 2}, 2, 1, 1, 1);
        Tensor kernel = computation.f32(infinite, 2, 1, 1, 1);
        Window padded = Window.of(1, 1);
        assertThat(computation.compute(ops.conv2dDirect(kernel, data, padded, Window.UNIT)))
                .containsExactly(Double.NaN, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
        assertThat(computation.compute(ops.conv2dDepthwiseDirect(kernel, data, padded, Window.UNIT)))
                .containsExactly(1, Double.POSITIVE_INFINITY, Double.POSITIVE_INFINITY);
    }

    @Test
    void theResultHasTheTypeOfTheData() {
        Random random = new Random(5);
        TestGrid kernel = TestGrid.random(random, 2, 2, 1, 2);
        TestGrid data = TestGrid.random(random, 4, 4, 1, 1);
        double[] exact = computation.compute(
                ops.conv2dDirect(kernel.in(computation), data.in(computation), Window.UNIT, Window.UNIT));
        Tensor halves = ops.conv2dDirect(
                kernel.in(computation), data.in(computation, ElementType.F16), Window.UNIT, Window.UNIT);
        assertThat(halves.type()).isEqualTo(ElementType.F16);
        assertClose(computation.compute(halves), exact, HALF, "seed 5");
    }

    @Test
    void saysWhyWholeNumbersAreNotConvolved() {
        Tensor numbers = ops.tensor(ElementType.I32, 4, 4, 1, 1);
        Tensor node = ops.conv2dDirect(ops.tensor(ElementType.F32, 2, 2, 1, 1), numbers, Window.UNIT, Window.UNIT);
        assertThat(new ReferenceProvider().devices().getFirst().supports(node).reason())
                .contains("CONV_2D")
                .contains("i32");
    }

    @ParameterizedTest
    @CsvSource({"F32, 1", "F32, 2", "F16, 3", "F32, 4"})
    void theTransposedConvolutionPutsAKernelAfterEachElementOfASequence(ElementType type, int stride) {
        Random random = new Random(6);
        TestGrid kernel = TestGrid.random(random, 3, 2, 4, 1);
        TestGrid data = TestGrid.random(random, 5, 4, 1, 1);
        int length = 4 * stride + 3;
        TestGrid expected = TestGrid.of(length, 2, 1, 1, (_, _, _, _) -> 0);
        for (int i = 0; i < 5; i++) {
            for (int in = 0; in < 4; in++) {
                for (int out = 0; out < 2; out++) {
                    for (int k = 0; k < 3; k++) {
                        int t = i * stride + k;
                        double more = kernel.get(k, out, in, 0) * data.get(i, in, 0, 0);
                        expected.set(t, out, 0, 0, expected.get(t, out, 0, 0) + more);
                    }
                }
            }
        }
        Tensor result = ops.convTranspose1d(kernel.in(computation, type), data.in(computation), stride);
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 6");
    }

    /** {@code sum(conv(x) * y) = sum(x * convTransposed(y))} for all x and y: that is what transposed means. */
    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void theTransposedConvolutionOfImagesIsTheTransposeOfTheOther(int stride) {
        Random random = new Random(7);
        int width = 2 * stride + 3;
        int height = stride + 2;
        TestGrid kernel = TestGrid.random(random, 3, 2, 2, 4);
        TestGrid x = TestGrid.random(random, width, height, 2, 2);
        TestGrid y = TestGrid.random(random, 3, 2, 4, 2);
        Tensor forward =
                ops.conv2dDirect(kernel.in(computation), x.in(computation), Window.of(stride, 0), Window.of(stride, 0));
        Tensor backward = ops.convTranspose2d(kernel.in(computation), y.in(computation), stride);
        double one = inner(computation.compute(forward), y.values());
        double other = inner(x.values(), computation.compute(backward));
        assertClose(new double[] {other}, new double[] {one}, 1e-5, "seed 7");
    }

    private static double inner(double[] a, double[] b) {
        assertThat(a).hasSameSizeAs(b);
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += a[i] * b[i];
        }
        return sum;
    }
}
