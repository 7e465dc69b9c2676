package dev.stowage.reference.kernel.window;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.PoolKind;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PoolKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @Test
    void paddingDoesNotCountForTheMeanOfASequence() {
        Tensor a = computation.f32(2, 4, 9);
        assertThat(computation.compute(ops.pool1d(a, PoolKind.AVG, 2, 2, 1))).containsExactly(2, 6.5);
        assertThat(computation.compute(ops.pool1d(a, PoolKind.MAX, 2, 2, 1))).containsExactly(2, 9);
    }

    @Test
    void paddingCountsAsZerosForTheMeanOfAnImage() {
        Tensor a = computation.f32(new double[] {-1, -2, -3, -4}, 2, 2);
        assertThat(computation.compute(ops.pool2d(a, PoolKind.AVG, 2, 2, 2, 2, 1, 1)))
                .containsExactly(-0.25, -0.5, -0.75, -1);
        assertThat(computation.compute(ops.pool2d(a, PoolKind.MAX, 2, 2, 2, 2, 1, 1)))
                .containsExactly(-1, -2, -3, -4);
    }

    @Test
    void aWindowInThePaddingHasAMeanOfZeroAndTheLowestMaximum() {
        Tensor a = computation.f32(5, 6);
        assertThat(computation.compute(ops.pool1d(a, PoolKind.AVG, 1, 1, 1))).containsExactly(0, 5, 6, 0);
        assertThat(computation.compute(ops.pool1d(a, PoolKind.MAX, 1, 1, 1)))
                .containsExactly(-Float.MAX_VALUE, 5, 6, -Float.MAX_VALUE);
    }

    @ParameterizedTest
    @CsvSource({"F32, MAX", "F32, AVG", "F16, MAX", "F16, AVG"})
    void poolsEachPlaneOfAView(ElementType type, PoolKind kind) {
        Random random = new Random(1);
        TestGrid a = TestGrid.random(random, 7, 6, 3, 2);
        Tensor result = ops.pool2d(a.permuted(computation, type), kind, 3, 2, 2, 3, 0, 0);
        TestGrid expected = TestGrid.of(3, 2, 3, 2, (x, y, i2, i3) -> {
            double sum = 0;
            double max = Double.NEGATIVE_INFINITY;
            for (int ky = 0; ky < 2; ky++) {
                for (int kx = 0; kx < 3; kx++) {
                    double value = a.get(2 * x + kx, 3 * y + ky, i2, i3);
                    sum += value;
                    max = Math.max(max, value);
                }
            }
            return kind == PoolKind.MAX ? max : sum / 6;
        });
        assertClose(computation.compute(result), expected.values(), FLOAT, "seed 1");
    }

    @Test
    void halfAPaddingCountsForThePositionsOnly() {
        Tensor a = computation.f32(new double[] {1, 2, 3}, 3, 1);
        Tensor result = ops.pool2d(a, PoolKind.AVG, 2, 1, 1, 1, 0.5f, 0);
        assertThat(computation.compute(result)).containsExactly(1.5, 2.5, 1.5);
    }

    @Test
    void theMaximumForgetsWhatIsNotANumberAtTheNextElement() {
        Tensor a = computation.f32(1, Double.NaN, 0, 5, Double.NaN);
        double[] actual = computation.compute(ops.pool1d(a, PoolKind.MAX, 3, 2, 0));
        assertThat(actual).containsExactly(0, Double.NaN);
        double[] means = computation.compute(ops.pool1d(a, PoolKind.AVG, 3, 2, 0));
        assertThat(means).containsOnly(Double.NaN);
    }
}
