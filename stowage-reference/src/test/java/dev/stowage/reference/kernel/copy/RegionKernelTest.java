package dev.stowage.reference.kernel.copy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.reference.ReferenceOps;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RegionKernelTest {

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
    void putsTheSecondOperandIntoARegionOfACopy(ElementType type) {
        Tensor a = computation.leaf(type, TestNumbers.counting(12), 4, 3);
        Tensor b = computation.leaf(type, new double[] {100, 101, 102, 103}, 2, 2);
        long row = a.stride(1);
        Tensor result = ops.set(a, b, row, a.stride(2), a.stride(3), row + a.stride(0));
        assertThat(computation.compute(result)).containsExactly(0, 1, 2, 3, 4, 100, 101, 7, 8, 102, 103, 11);
        assertThat(computation.read(a)).containsExactly(TestNumbers.counting(12));
    }

    @Test
    void putsTheSecondOperandIntoTheFirstItself() {
        Tensor a = computation.f32(TestNumbers.counting(6), 3, 2);
        computation.compute(ops.set1dInplace(a, computation.f32(100, 101), 8));
        assertThat(computation.read(a)).containsExactly(0, 1, 100, 101, 4, 5);
    }

    @Test
    void putsRowsAtADistanceOfTheCallersChoice() {
        Tensor a = computation.f32(TestNumbers.counting(8), 8);
        Tensor b = computation.f32(new double[] {100, 101}, 1, 2);
        assertThat(computation.compute(ops.set2d(a, b, 12, 4))).containsExactly(0, 100, 2, 3, 101, 5, 6, 7);
    }

    @Test
    void putsQuantisedBlocksAsTheyAre() {
        double[] values = TestNumbers.of(64, i -> i);
        Tensor a = computation.leaf(ElementType.Q8_0, new double[96], 96);
        Tensor b = computation.leaf(ElementType.Q8_0, values, 64);
        double[] result = computation.compute(ops.set1d(a, b, a.type().bytesPerBlock()));
        double[] decoded = computation.read(b);
        assertThat(result).containsExactly(TestNumbers.of(96, i -> i < 32 ? 0 : decoded[i - 32]));
    }

    @Test
    void readsTheSecondOperandThroughItsStrides() {
        Tensor a = computation.f32(new double[4], 2, 2);
        Tensor turned = ops.transpose(computation.f32(TestNumbers.counting(4), 2, 2));
        assertThat(computation.compute(ops.set(a, turned, 8, 16, 16, 0))).containsExactly(0, 2, 1, 3);
        assertThat(computation.compute(ops.acc(a, turned, 8, 16, 16, 0))).containsExactly(0, 2, 1, 3);
    }

    @Test
    void addsTheSecondOperandToARegionOfACopy() {
        Tensor a = computation.f32(TestNumbers.counting(6), 3, 2);
        Tensor b = computation.f32(new double[] {100, 200}, 1, 2);
        assertThat(computation.compute(ops.acc(a, b, 12, 24, 24, 4))).containsExactly(0, 101, 2, 3, 204, 5);
        assertThat(computation.read(a)).containsExactly(TestNumbers.counting(6));
    }

    @Test
    void addsToTheFirstOperandItself() {
        Tensor a = computation.f32(TestNumbers.counting(3));
        computation.compute(ops.accInplace(a, computation.f32(100), 4, 4, 4, 8));
        assertThat(computation.read(a)).containsExactly(0, 1, 102);
    }

    @Test
    void copiesWhereNothingIsPut() {
        Tensor a = computation.f32(TestNumbers.counting(3));
        Tensor none = computation.f32(new double[0], 0);
        assertThat(computation.compute(ops.set1d(a, none, 0))).containsExactly(0, 1, 2);
    }

    @Test
    void refusesARegionInBytesThatACopyDoesNotHave() {
        Tensor turned = ops.transpose(ops.tensor(ElementType.F32, 3, 2));
        Tensor node = ops.set1d(turned, ops.tensor(ElementType.F32, 2), 0);
        assertThat(ReferenceOps.supports(node).reason()).contains("bytes of an operand with gaps");
    }

    @Test
    void writesIntoAnOperandWithGapsInPlace() {
        Tensor a = computation.f32(TestNumbers.counting(6), 3, 2);
        Tensor turned = ops.transpose(a);
        computation.compute(ops.set1dInplace(turned, computation.f32(100, 101), 8));
        assertThat(computation.read(a)).containsExactly(0, 1, 100, 101, 4, 5);
    }
}
