package dev.stowage.reference.kernel.copy;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.DeviceException;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RowKernelsTest {

    /** A row that is a whole number of blocks of every type. */
    private static final int LENGTH = 256;

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void getsRowsOfEveryTypeAsTheNumbersTheyStandFor(ElementType type) {
        double[] values = TestNumbers.simple(new Random(8), LENGTH * 3);
        Tensor table = computation.leaf(type, values, LENGTH, 3);
        double[] rows = computation.compute(ops.getRows(table, computation.i32(2, 0, 2)));
        double[] decoded = computation.read(table);
        int[] picked = {2, 0, 2};
        double[] expected = TestNumbers.of(LENGTH * 3, n -> decoded[picked[n / LENGTH] * LENGTH + n % LENGTH]);
        assertClose(rows, expected, FLOAT, "seed 8");
    }

    @Test
    void getsRowsFromTheMatrixTheirNumberBelongsTo() {
        Tensor table = computation.f32(TestNumbers.counting(2 * 3 * 2 * 2), 2, 3, 2, 2);
        Tensor numbers = computation.leaf(ElementType.I32, new double[] {2, 0, 1, 2}, 1, 2, 2);
        // row 2 of matrix 0, row 0 of matrix 1, row 1 of matrix 2, row 2 of matrix 3; six elements a matrix
        assertThat(computation.compute(ops.getRows(table, numbers))).containsExactly(4, 5, 6, 7, 14, 15, 22, 23);
    }

    @Test
    void getsRowsThroughStrides() {
        Tensor columns = ops.transpose(computation.f32(TestNumbers.counting(6), 3, 2));
        assertThat(computation.compute(ops.getRows(columns, computation.i32(2, 1))))
                .containsExactly(2, 5, 1, 4);
    }

    @Test
    void refusesToGetARowThatIsNotThere() {
        Tensor table = computation.f32(TestNumbers.counting(6), 2, 3).named("table");
        Tensor rows = ops.getRows(table, computation.i32(0, -1).named("numbers"));
        assertThatThrownBy(() -> computation.compute(rows))
                .isInstanceOf(DeviceException.class)
                .hasMessageContaining("'numbers'")
                .hasMessageContaining("names row -1 of 'table'")
                .hasMessageContaining("rows 0 to 2");
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void setsRowsOfEveryTypeAndLeavesTheOthers(ElementType type) {
        Random random = new Random(9);
        double[] before = TestNumbers.of(LENGTH * 3, _ -> random.nextInt(50));
        float[] row = new float[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            row[i] = random.nextInt(50);
        }
        Tensor table = computation.leaf(type, before, LENGTH, 3);
        Tensor source = computation.f32(TestNumbers.of(LENGTH, i -> row[i]), LENGTH);
        double[] after = computation.compute(ops.setRows(table, source, computation.i64(new long[] {1}, 1)));
        double[] kept = encoded(type, before);
        double[] set = encoded(type, TestNumbers.of(LENGTH, i -> row[i]));
        double[] expected = TestNumbers.of(LENGTH * 3, n -> n / LENGTH == 1 ? set[n - LENGTH] : kept[n]);
        assertThat(after).as("seed 9").containsExactly(expected);
        assertThat(computation.read(table)).as("seed 9").containsExactly(expected);
    }

    /** What a type makes of whole numbers below 50: a plain one keeps them. */
    private static double[] encoded(ElementType type, double[] values) {
        if (!type.isQuantized()) {
            return values;
        }
        float[] floats = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            floats[i] = (float) values[i];
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(type.rowBytes(values.length));
            BlockFormat.of(type).quantize(floats, 0, floats.length, bytes, 0);
            BlockFormat.of(type).dequantize(bytes, 0, floats, 0, floats.length);
        }
        return TestNumbers.of(values.length, i -> floats[i]);
    }

    @Test
    void setsRowsInEveryMatrixWithNumbersThatRepeat() {
        Tensor table = computation.f32(new double[2 * 3 * 4], 2, 3, 4);
        Tensor source = computation.f32(TestNumbers.of(8, i -> i + 1), 2, 1, 4);
        Tensor numbers = computation.leaf(ElementType.I32, new double[] {2, 0}, 1, 2);
        computation.compute(ops.setRows(table, source, numbers));
        assertThat(computation.read(table))
                .containsExactly(0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0);
    }

    @Test
    void setsRowsFromHalves() {
        Tensor table = computation.f32(new double[4], 2, 2);
        Tensor source = computation.leaf(ElementType.F16, new double[] {1.5, -2}, 2);
        Tensor result = ops.setRows(table, source, computation.i64(new long[] {1}, 1));
        assertThat(computation.compute(result)).containsExactly(0, 0, 1.5, -2);
    }

    @Test
    void keepsTheLaterOfTwoRowsWithTheSameNumber() {
        Tensor table = computation.f32(new double[2], 1, 2);
        Tensor source = computation.f32(new double[] {7, 8}, 1, 2);
        Tensor result = ops.setRows(table, source, computation.i32(1, 1));
        assertThat(computation.compute(result)).containsExactly(0, 8);
    }

    @Test
    void setsNothingIfOneNumberIsWrong() {
        Tensor table = computation.f32(new double[] {1, 2}, 1, 2);
        Tensor source = computation.f32(new double[] {7, 8}, 1, 2);
        Tensor result = ops.setRows(table, source, computation.i64(new long[] {0, 1L << 32}, 2));
        assertThatThrownBy(() -> computation.compute(result)).hasMessageContaining("names row 4294967296");
        assertThat(computation.read(table)).containsExactly(1, 2);
    }
}
