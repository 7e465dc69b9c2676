package dev.stowage.reference.kernel.window;

import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.TensorData;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestGrid;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ImageKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16", "I8", "I16", "I32", "F64"})
    void aFrameOfZerosGoesRoundTheOperand(ElementType type) {
        Random random = new Random(1);
        TestGrid a = TestGrid.of(3, 2, 2, 2, (_, _, _, _) -> 1 + random.nextInt(50));
        OpParameters.Pad padding = new OpParameters.Pad(1, 2, 0, 1, 3, 0, 1, 1, false);
        Tensor result = ops.pad(a.permuted(computation, type), padding);
        TestGrid expected = TestGrid.of(6, 3, 5, 4, (i0, i1, i2, i3) -> a.getOrZero(i0 - 1, i1, i2 - 3, i3 - 1));
        assertThat(computation.compute(result)).as("seed 1").containsExactly(expected.values());
    }

    @Test
    void aCircularFrameGoesOnWithTheOtherEndEvenMoreThanOnce() {
        Tensor row = computation.f32(1, 2, 3);
        Tensor result = ops.pad(row, new OpParameters.Pad(4, 5, 1, 0, 0, 0, 0, 0, true));
        assertThat(computation.compute(result))
                .containsExactly(3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2);
    }

    @Test
    void nothingPaddedWithZerosIsZeros() {
        Tensor result = ops.pad(ops.tensor(ElementType.F32, 0, 2), 2, 0, 0, 0);
        assertThat(computation.compute(result)).containsExactly(0, 0, 0, 0);
    }

    @Test
    void quantisedRowsMoveInWholeBlocks() {
        Random random = new Random(2);
        Tensor rows = TestGrid.random(random, 64, 3, 1, 1).in(computation, ElementType.Q4_0);
        double[] rolled = computation.compute(ops.roll(rows, 32, 1, 0, 0));
        TestGrid a = TestGrid.rounded(computation, rows);
        TestGrid expected = TestGrid.of(64, 3, 1, 1, (i0, i1, _, _) -> a.get((i0 + 32) % 64, (i1 + 2) % 3, 0, 0));
        assertThat(rolled).as("seed 2").containsExactly(expected.values());
        double[] padded = computation.compute(ops.pad(rows, new OpParameters.Pad(32, 0, 0, 1, 0, 0, 0, 0, false)));
        TestGrid framed = TestGrid.of(96, 4, 1, 1, (i0, i1, _, _) -> a.getOrZero(i0 - 32, i1, 0, 0));
        assertClose(padded, framed.values(), 0, "seed 2");
    }

    @Test
    void saysWhyAPartOfABlockCannotMove() {
        Tensor rows = ops.tensor(ElementType.Q4_0, 64, 3);
        assertThat(reasonAgainst(ops.roll(rows, 5, 0, 0, 0)))
                .contains("whole blocks of 32")
                .contains("by 5");
        assertThat(reasonAgainst(ops.pad(rows, new OpParameters.Pad(1, 31, 0, 0, 0, 0, 0, 0, false))))
                .contains("whole blocks of 32");
        assertThat(reasonAgainst(ops.padCircular(ops.tensor(ElementType.F32, 0), 3, 0, 0, 0)))
                .contains("empty");
    }

    private static String reasonAgainst(Tensor node) {
        return new ReferenceProvider().devices().getFirst().supports(node).reason();
    }

    @Test
    void largeNumbersMoveUnchanged() {
        long[] numbers = {Long.MAX_VALUE, Long.MIN_VALUE + 1, (1L << 53) + 1};
        Tensor moved = ops.roll(computation.i64(numbers, 3), 1, 0, 0, 0);
        computation.compute(moved);
        assertThat(TensorData.getLongs(moved)).containsExactly((1L << 53) + 1, Long.MAX_VALUE, Long.MIN_VALUE + 1);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "0, 3", "3, 2", "4, 4"})
    void aReflectedRowGoesBackFromItsEnds(int before, int after) {
        TestGrid a = TestGrid.of(5, 2, 2, 1, (i0, i1, i2, _) -> 100 * i2 + 10 * i1 + i0);
        double[] actual = computation.compute(ops.padReflect1d(a.in(computation), before, after));
        int[] there = {4, 3, 2, 1, 0, 1, 2, 3, 4, 3, 2, 1, 0};
        TestGrid expected =
                TestGrid.of(5 + before + after, 2, 2, 1, (i0, i1, i2, _) -> a.get(there[4 - before + i0], i1, i2, 0));
        assertThat(actual).containsExactly(expected.values());
    }

    @Test
    void whatRollsOutAtOneEndComesInAtTheOther() {
        Random random = new Random(3);
        TestGrid a = TestGrid.random(random, 5, 4, 3, 2);
        Tensor result = ops.roll(a.permuted(computation, ElementType.F32), 2, -3, 1, -1);
        TestGrid expected = TestGrid.of(
                5, 4, 3, 2, (i0, i1, i2, i3) -> a.get((i0 + 3) % 5, (i1 + 3) % 4, (i2 + 2) % 3, (i3 + 1) % 2));
        assertThat(computation.compute(result)).as("seed 3").containsExactly(expected.values());
    }

    @ParameterizedTest
    @CsvSource({"4, 6, 2", "5, 7, 3", "2, 1, 4", "3, 3, 1"})
    void windowsPutTogetherAgainGiveTheImage(int width, int height, int edge) {
        Random random = new Random(4);
        TestGrid a = TestGrid.random(random, 3, width, height, 1);
        Tensor windows = ops.winPart(a.in(computation), edge);
        double[] back = computation.compute(ops.winUnpart(windows, width, height, edge));
        assertThat(back).as("seed 4").containsExactly(a.values());
    }

    @Test
    void windowsAreNumberedRowByRowAndFilledUpWithZeros() {
        TestGrid a = TestGrid.of(1, 3, 3, 1, (_, x, y, _) -> 10 * (y + 1) + x + 1);
        assertThat(computation.compute(ops.winPart(a.in(computation), 2)))
                .containsExactly(11, 12, 21, 22, 13, 0, 23, 0, 31, 32, 0, 0, 33, 0, 0, 0);
    }
}
