package dev.stowage.reference.kernel.window;

import static dev.stowage.reference.kernel.TestNumbers.BRAIN;
import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.HALF;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
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

class WindowKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @Test
    void aWindowOnASequenceSeesZerosInThePadding() {
        Tensor kernel = ops.tensor(ElementType.F32, 3, 1, 1);
        Tensor data = computation.f32(new double[] {1, 2, 3, 4}, 4, 1, 1);
        double[] expected = {
            0, 2, 4,
            1, 3, 0,
        };
        Tensor columns = ops.im2col1d(kernel, data, new Window(1, 1, 2), ElementType.F32);
        assertThat(computation.compute(columns)).containsExactly(expected);
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16", "I32"})
    void aColumnHoldsWhatIsUnderTheKernelChannelByChannel(ElementType type) {
        Random random = new Random(1);
        TestGrid data = TestGrid.of(6, 5, 3, 2, (_, _, _, _) -> random.nextInt(40) - 20);
        Window width = new Window(2, 1, 2);
        Window height = new Window(1, 2, 1);
        Tensor kernel = ops.tensor(ElementType.F16, 2, 3, 3, 7);
        Tensor columns = ops.im2col(kernel, data.permuted(computation, ElementType.F32), width, height, type);
        TestGrid expected = TestGrid.of(18, 3, 7, 2, (i, x, y, n) -> {
            int kx = i % 2;
            int ky = i / 2 % 3;
            return data.getOrZero(x * 2 + kx * 2 - 1, y + ky - 2, i / 6, n);
        });
        assertThat(computation.compute(columns)).as("seed 1").containsExactly(expected.values());
    }

    @Test
    void columnsMayBeQuantised() {
        TestGrid data = TestGrid.of(8, 4, 1, 1, (i0, i1, _, _) -> i0 - i1);
        Tensor kernel = ops.tensor(ElementType.F32, 8, 4, 1, 1);
        Tensor columns = ops.im2col(kernel, data.in(computation), Window.UNIT, Window.UNIT, ElementType.Q8_0);
        assertClose(computation.compute(columns), data.values(), 0.02);
    }

    @Test
    void aColumnOfAVolumeHoldsLayersToo() {
        Random random = new Random(2);
        TestGrid data = TestGrid.random(random, 4, 3, 5, 4);
        Tensor kernel = ops.tensor(ElementType.F32, 2, 1, 3, 2 * 3);
        Window width = Window.UNIT;
        Window height = new Window(2, 1, 1);
        Window depth = new Window(2, 1, 1);
        Tensor columns = ops.im2col3d(kernel, data.in(computation), 2, width, height, depth, ElementType.F32);
        TestGrid expected = TestGrid.of(12, 3, 3, 6, (i, x, y, i3) -> {
            int kx = i % 2;
            int kz = i / 2 % 3;
            int channel = i / 6;
            return data.getOrZero(x + kx, y * 2 - 1, i3 % 3 * 2 + kz - 1, i3 / 3 * 2 + channel);
        });
        assertThat(computation.compute(columns)).as("seed 2").containsExactly(expected.values());
    }

    @ParameterizedTest
    @CsvSource({"F32, 1, 0", "F32, 2, 1", "F16, 3, 1", "BF16, 4, 0", "F32, 5, 1"})
    void overlappingColumnsAddUpToASignal(ElementType type, int stride, int padding) {
        Random random = new Random(3);
        int taps = 3;
        int channels = 2;
        int count = 4;
        TestGrid a = TestGrid.random(random, taps * channels, count, 1, 1);
        Tensor signal = ops.col2im1d(a.in(computation, type), stride, channels, padding);
        int length = (count - 1) * stride + taps;
        TestGrid whole = TestGrid.of(length, channels, 1, 1, (_, _, _, _) -> 0);
        for (int i = 0; i < count; i++) {
            for (int channel = 0; channel < channels; channel++) {
                for (int tap = 0; tap < taps; tap++) {
                    int t = i * stride + tap;
                    double more = a.get(channel * taps + tap, i, 0, 0);
                    whole.set(t, channel, 0, 0, whole.get(t, channel, 0, 0) + more);
                }
            }
        }
        TestGrid expected = TestGrid.of(
                length - 2 * padding, channels, 1, 1, (t, channel, _, _) -> whole.get(t + padding, channel, 0, 0));
        double tolerance = type == ElementType.F32 ? FLOAT : type == ElementType.F16 ? HALF : BRAIN;
        assertClose(computation.compute(signal), expected.values(), tolerance, "seed 3");
    }
}
