package dev.stowage.reference.kernel.norm;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static dev.stowage.reference.kernel.TestNumbers.q8Error;
import static java.lang.Double.NEGATIVE_INFINITY;
import static java.lang.Double.NaN;
import static java.lang.Double.POSITIVE_INFINITY;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.TensorData;
import dev.stowage.reference.ReferenceOps;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.SortOrder;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReductionKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16", "F64", "I8", "I16", "I32", "I64"})
    void sumsEverythingAndEveryRow(ElementType type) {
        Tensor a = computation.leaf(type, TestNumbers.counting(12), 3, 2, 2);
        assertThat(computation.compute(ops.sum(a))).containsExactly(66);
        assertThat(computation.compute(ops.sumRows(a))).containsExactly(3, 12, 21, 30);
    }

    @Test
    void sumsLongsExactly() {
        long large = 1L << 60;
        Tensor sum = ops.sum(computation.i64(new long[] {large, 1, 1}, 3));
        computation.compute(sum);
        assertThat(TensorData.getLongs(sum)).containsExactly(large + 2);
    }

    @Test
    void losesNoSmallNumberInALargeSum() {
        Tensor a = computation.f32(1e8, 1, 1, 1, 1, -1e8);
        assertThat(computation.compute(ops.sum(a))).containsExactly(4);
        assertThat(computation.compute(ops.sumRows(a))).containsExactly(4);
    }

    @Test
    void sumsThroughStrides() {
        Tensor a = ops.permute(computation.f32(TestNumbers.counting(6), 3, 2), 1, 0, 2, 3);
        assertThat(computation.compute(ops.sumRows(a))).containsExactly(3, 5, 7);
        assertThat(computation.compute(ops.sum(a))).containsExactly(15);
    }

    @Test
    void findsNothingInAnEmptyTensor() {
        Tensor none = computation.f32(new double[0], 0, 2);
        assertThat(computation.compute(ops.sum(none))).containsExactly(0);
        assertThat(computation.compute(ops.sumRows(none))).containsExactly(0, 0);
        assertThat(computation.compute(ops.mean(none))).containsExactly(NaN, NaN);
        assertThat(computation.compute(ops.argmax(none))).containsExactly(0, 0);
        assertThat(computation.compute(ops.countEqual(none, none))).containsExactly(0);
    }

    @Test
    void meansEveryRowOfAnyTypeAsFloat() {
        assertClose(
                computation.compute(ops.mean(computation.f32(TestNumbers.counting(6), 3, 2))),
                new double[] {1, 4},
                FLOAT);
        Tensor quantised = computation.leaf(ElementType.Q8_0, TestNumbers.of(64, i -> i / 32 + 1), 32, 2);
        assertClose(computation.compute(ops.mean(quantised)), new double[] {1, 2}, q8Error(2));
        assertClose(computation.compute(ops.mean(computation.i32(1, 2))), new double[] {1.5}, FLOAT);
    }

    @Test
    void sumsUpToEachElement() {
        Tensor a = computation.f32(new double[] {1, 2, 3, -1, NaN, 5}, 3, 2);
        assertThat(computation.compute(ops.cumsum(a))).containsExactly(1, 3, 6, -1, NaN, NaN);
    }

    @Test
    void findsTheLastOfSeveralLargest() {
        Tensor a = computation.f32(new double[] {1, 7, 7, 3, -2, -1, -5, -1}, 4, 2);
        assertThat(computation.compute(ops.argmax(a))).containsExactly(2, 3);
    }

    @Test
    void findsTheLargestAfterTheLastNan() {
        double[] rows = {9, NaN, 1, NaN, NaN, NaN, NEGATIVE_INFINITY, NEGATIVE_INFINITY, NEGATIVE_INFINITY};
        assertThat(computation.compute(ops.argmax(computation.f32(rows, 3, 3)))).containsExactly(2, 0, 2);
    }

    @Test
    void countsEqualElements() {
        Tensor a = computation.leaf(ElementType.I32, new double[] {1, 2, 3, 4, 5, 6, 7, 8}, 2, 2, 2);
        Tensor b = computation.leaf(ElementType.I32, new double[] {1, 0, 3, 0, 5, 0, 0, 8}, 2, 2, 2);
        assertThat(computation.compute(ops.countEqual(a, b))).containsExactly(4);
        assertThat(computation.compute(ops.countEqual(ops.transpose(a), ops.transpose(b))))
                .containsExactly(4);
    }

    @Test
    void countsNanAsEqualToNothing() {
        Tensor a = computation.f32(1, NaN, POSITIVE_INFINITY, 0);
        Tensor b = computation.f32(1, NaN, POSITIVE_INFINITY, -0.0);
        assertThat(computation.compute(ops.countEqual(a, b))).containsExactly(3);
    }

    @Test
    void tellsLongsApartThatAreTheSameDouble() {
        long large = 1L << 60;
        Tensor a = computation.i64(new long[] {large, large}, 2);
        Tensor b = computation.i64(new long[] {large, large + 1}, 2);
        assertThat(computation.compute(ops.countEqual(a, b))).containsExactly(1);
    }

    @ParameterizedTest
    @EnumSource(SortOrder.class)
    void sortsEveryRow(SortOrder order) {
        for (long seed = 0; seed < 20; seed++) {
            try (Computation own = new Computation()) {
                double[] values = TestNumbers.simple(new Random(seed), 40 * 3);
                double[] places = own.compute(own.ops().argsort(own.f32(values, 40, 3), order));
                for (int row = 0; row < 3; row++) {
                    assertSorted(values, places, row * 40, order, seed);
                }
            }
        }
    }

    /** Each place once, the elements in order, and equal ones in the order of their places. */
    private static void assertSorted(double[] values, double[] places, int from, SortOrder order, long seed) {
        boolean[] seen = new boolean[40];
        seen[(int) places[from]] = true;
        for (int i = 1; i < 40; i++) {
            int place = (int) places[from + i];
            double step = values[from + place] - values[from + (int) places[from + i - 1]];
            double rise = order == SortOrder.ASC ? step : -step;
            assertThat(rise > 0 || (rise == 0 && place > places[from + i - 1]))
                    .as("seed %d, position %d", seed, i)
                    .isTrue();
            seen[place] = true;
        }
        assertThat(seen).as("seed %d", seed).doesNotContain(false);
    }

    @Test
    void sortsBothZerosAsOneAndNanAfterEverything() {
        Tensor a = computation.f32(NaN, 0, -0.0, POSITIVE_INFINITY, -1);
        assertThat(computation.compute(ops.argsort(a, SortOrder.ASC))).containsExactly(4, 1, 2, 3, 0);
        assertThat(computation.compute(ops.argsort(a, SortOrder.DESC))).containsExactly(0, 3, 1, 2, 4);
    }

    @Test
    void namesTheLargestFromTheLargestDown() {
        Tensor a = computation.f32(new double[] {3, 9, 1, 7, 4, 4, 8, 2}, 4, 2);
        assertThat(computation.compute(ops.topK(a, 3))).containsExactly(1, 3, 0, 2, 0, 1);
    }

    @Test
    void namesTheLargestOfASortedView() {
        Tensor a = computation.f32(new double[] {3, 9, 1, 7, 4, 4, 8, 2}, 4, 2);
        assertThat(computation.compute(ops.argsortTopK(a, 2))).containsExactly(1, 3, 2, 0);
    }

    @Test
    void sortsRowsThatAreFarApart() {
        Tensor whole = computation.f32(new double[] {9, 1, 0, 2, 5, 7}, 3, 2);
        Tensor part = ops.view2d(whole, 2, 2, whole.stride(1), 4);
        assertThat(computation.compute(ops.argsort(part, SortOrder.ASC))).containsExactly(1, 0, 0, 1);
    }

    @Test
    void refusesToCompareLongsAsDoubles() {
        Tensor node = ops.argsort(ops.tensor(ElementType.I64, 4), SortOrder.ASC);
        assertThat(ReferenceOps.supports(node).reason()).contains("ARGSORT", "i64");
    }
}
