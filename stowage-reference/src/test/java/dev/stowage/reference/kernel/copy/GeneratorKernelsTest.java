package dev.stowage.reference.kernel.copy;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratorKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @Test
    void countsFromStartToBelowStop() {
        assertThat(computation.compute(ops.arange(-1, 1, 0.5f))).containsExactly(-1, -0.5, 0, 0.5);
        assertThat(computation.compute(ops.arange(0, 1.1f, 0.5f))).containsExactly(0, 0.5, 1);
    }

    @Test
    void doesNotAddUpTheErrorsOfManySteps() {
        double[] values = computation.compute(ops.arange(0, 100, 0.1f));
        double step = 0.1f;
        assertClose(values, TestNumbers.of(values.length, i -> i * step), FLOAT);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 6, 7})
    void embedsTimeStepsAsCosinesAndThenSines(int dimensions) {
        double[] steps = {0, 1, 12.5};
        Tensor result = ops.timestepEmbedding(computation.f32(steps), dimensions, 100);
        int half = dimensions / 2;
        double[] expected = TestNumbers.of(3 * dimensions, n -> {
            int i = n % dimensions;
            if (i == 2 * half) {
                return 0;
            }
            double frequency = Math.exp(-Math.log(100) * (i % half) / half);
            double angle = steps[n / dimensions] * frequency;
            return i < half ? Math.cos(angle) : Math.sin(angle);
        });
        assertClose(computation.compute(result), expected, FLOAT);
    }

    @Test
    void readsTimeStepsOfAnyTypeThroughTheirStride() {
        Tensor steps = computation.leaf(ElementType.I32, new double[] {0, 9, 1, 9}, 2, 2);
        Tensor every2nd = ops.view1d(ops.cont(ops.transpose(steps)), 2, 0);
        double[] result = computation.compute(ops.timestepEmbedding(every2nd, 2, 100));
        assertClose(result, new double[] {1, 0, Math.cos(1), Math.sin(1)}, FLOAT);
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16"})
    void fillsWithOneValue(ElementType type) {
        Tensor a = computation.leaf(type, TestNumbers.counting(6), 3, 2);
        assertThat(computation.compute(ops.fill(a, 2.5f))).containsExactly(2.5, 2.5, 2.5, 2.5, 2.5, 2.5);
        assertThat(computation.read(a)).containsExactly(TestNumbers.counting(6));
    }

    @Test
    void fillsInPlaceAndNothingBesides() {
        Tensor whole = computation.f32(TestNumbers.counting(4));
        computation.compute(ops.fillInplace(ops.view1d(whole, 2, 4), Float.NEGATIVE_INFINITY));
        assertThat(computation.read(whole)).containsExactly(0, Double.NEGATIVE_INFINITY, Double.NEGATIVE_INFINITY, 3);
    }
}
