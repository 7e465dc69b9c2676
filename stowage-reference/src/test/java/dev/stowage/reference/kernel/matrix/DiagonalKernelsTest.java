package dev.stowage.reference.kernel.matrix;

import static dev.stowage.reference.kernel.TestNumbers.q8Error;
import static java.lang.Double.NEGATIVE_INFINITY;
import static java.lang.Double.NaN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.ReferenceOps;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.tensor.TriangleKind;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DiagonalKernelsTest {

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16", "F64", "I8", "I16", "I32"})
    void putsARowOnTheDiagonalOfEachMatrix(ElementType type) {
        Tensor a = computation.leaf(type, new double[] {1, 2, 3, 4}, 2, 1, 2);
        assertThat(computation.compute(ops.diag(a))).containsExactly(1, 0, 0, 2, 3, 0, 0, 4);
    }

    @Test
    void putsAQuantisedRowOnADiagonal() {
        Tensor a = computation.leaf(ElementType.Q8_0, TestNumbers.of(32, i -> i + 1), 32);
        double[] result = computation.compute(ops.diag(a));
        double[] expected = TestNumbers.of(32 * 32, n -> n / 32 == n % 32 ? n % 32 + 1 : 0);
        TestNumbers.assertClose(result, expected, 2 * q8Error(32));
    }

    @Test
    void readsTheDiagonalThroughItsStride() {
        Tensor column = ops.transpose(computation.f32(new double[] {1, 2}, 1, 2));
        assertThat(computation.compute(ops.diag(column))).containsExactly(1, 0, 0, 2);
    }

    @Test
    void masksWhatIsAfterTheDiagonal() {
        Tensor a = computation.f32(new double[] {1, 2, 3, 4, NaN, 6, 7, 8}, 4, 2);
        assertThat(computation.compute(ops.diagMaskZero(a, 0))).containsExactly(1, 0, 0, 0, NaN, 6, 0, 0);
        assertThat(computation.compute(ops.diagMaskInf(a, 1)))
                .containsExactly(1, 2, NEGATIVE_INFINITY, NEGATIVE_INFINITY, NaN, 6, 7, NEGATIVE_INFINITY);
    }

    @Test
    void masksNothingWhereEverythingIsPast() {
        Tensor a = computation.f32(new double[] {1, 2, 3, 4}, 2, 2);
        assertThat(computation.compute(ops.diagMaskInf(a, Integer.MAX_VALUE))).containsExactly(1, 2, 3, 4);
    }

    @Test
    void masksEveryMatrixInPlaceThroughItsStrides() {
        Tensor a = computation.f32(TestNumbers.of(8, i -> i + 1), 2, 2, 2);
        computation.compute(ops.diagMaskZeroInplace(ops.transpose(a), 0));
        // of the transposed matrix what is above the diagonal, so of the matrix itself what is below it
        assertThat(computation.read(a)).containsExactly(1, 2, 0, 4, 5, 6, 0, 8);
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"I32", "I64", "Q8_0"})
    void refusesInfinityWhereTheTypeHasNone(ElementType type) {
        Tensor node = ops.diagMaskInf(ops.tensor(type, 32, 32), 0);
        assertThat(ReferenceOps.supports(node).reason()).contains("minus infinity", type.label());
    }

    @ParameterizedTest
    @CsvSource({
        "UPPER_DIAG, 1 2 3 0 5 6 0 0 9",
        "UPPER, 0 2 3 0 0 6 0 0 0",
        "LOWER_DIAG, 1 0 0 4 5 0 7 8 9",
        "LOWER, 0 0 0 4 0 0 7 8 0"
    })
    void keepsOneTriangle(TriangleKind kind, String expected) {
        Tensor a = computation.f32(TestNumbers.of(18, i -> i % 9 + 1), 3, 3, 2);
        String[] once = expected.split(" ", -1);
        assertThat(computation.compute(ops.tri(a, kind)))
                .containsExactly(TestNumbers.of(18, i -> Double.parseDouble(once[i % 9])));
    }
}
