package dev.stowage.reference.kernel.copy;

import static dev.stowage.reference.kernel.TestNumbers.FLOAT;
import static dev.stowage.reference.kernel.TestNumbers.assertClose;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.TensorData;
import dev.stowage.reference.kernel.Computation;
import dev.stowage.reference.kernel.TestNumbers;
import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class CopyKernelsTest {

    /** A row that is a whole number of blocks of every type. */
    private static final int LENGTH = 256;

    private final Computation computation = new Computation();
    private final GraphBuilder ops = computation.ops();

    @AfterEach
    void giveMemoryBack() {
        computation.close();
    }

    private static byte[] bytes(Tensor tensor) {
        return TensorData.segment(tensor).toArray(ValueLayout.JAVA_BYTE);
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void copiesEveryTypeBitForBit(ElementType type) {
        Tensor a = computation.leaf(type, TestNumbers.simple(new Random(10), LENGTH * 6), LENGTH, 3, 2);
        Tensor dup = ops.dup(a);
        computation.compute(dup);
        assertThat(bytes(dup)).as("dup, seed 10").isEqualTo(bytes(a));
        Tensor cont = ops.cont(a, LENGTH, 6);
        computation.compute(cont);
        assertThat(bytes(cont)).as("cont, seed 10").isEqualTo(bytes(a));
        Tensor copy = ops.cpy(a, ops.tensor(type, LENGTH * 2, 3));
        computation.compute(copy);
        assertThat(bytes(copy)).as("cpy, seed 10").isEqualTo(bytes(a));
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void putsRowsOfEveryTypeIntoAnotherOrder(ElementType type) {
        Tensor a = computation.leaf(type, TestNumbers.simple(new Random(11), LENGTH * 6), LENGTH, 3, 2);
        Tensor cont = ops.cont(ops.permute(a, 0, 2, 1, 3));
        double[] result = computation.compute(cont);
        double[] original = computation.read(a);
        double[] expected = TestNumbers.of(LENGTH * 6, n -> {
            int i1 = n / LENGTH % 2;
            int i2 = n / LENGTH / 2;
            return original[(i1 * 3 + i2) * LENGTH + n % LENGTH];
        });
        assertThat(result).as("seed 11").containsExactly(expected);
    }

    @Test
    void keepsTheBitsOfNan() {
        Tensor a = ops.tensor(ElementType.F32, 1);
        Tensor copy = ops.cont(a);
        computation.compute(copy);
        TensorData.segment(a).set(ValueLayout.JAVA_INT, 0, 0x7fc0_1234);
        computation.compute(copy);
        assertThat(TensorData.segment(copy).get(ValueLayout.JAVA_INT, 0)).isEqualTo(0x7fc0_1234);
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void castsFloatsToEveryType(ElementType type) {
        Random random = new Random(12);
        double[] values = TestNumbers.of(LENGTH * 2, _ -> random.nextInt(50));
        Tensor cast = ops.cast(computation.f32(values, LENGTH, 2), type);
        double[] result = computation.compute(cast);
        if (type.isQuantized()) {
            float[] floats = new float[values.length];
            for (int i = 0; i < values.length; i++) {
                floats[i] = (float) values[i];
            }
            byte[] expected = new byte[Math.toIntExact(cast.byteSize())];
            BlockFormat.of(type).quantize(floats, 0, floats.length, MemorySegment.ofArray(expected), 0);
            assertThat(bytes(cast)).as("seed 12").isEqualTo(expected);
        } else {
            assertThat(result).as("seed 12").containsExactly(values);
        }
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void castsEveryTypeToFloats(ElementType type) {
        Tensor a = computation.leaf(type, TestNumbers.simple(new Random(13), LENGTH * 2), LENGTH, 2);
        double[] result = computation.compute(ops.cast(a, ElementType.F32));
        assertClose(result, computation.read(a), FLOAT, "seed 13");
    }

    @Test
    void castsFromOneQuantisedTypeToAnother() {
        double[] values = TestNumbers.of(64, i -> i - 32);
        Tensor a = computation.leaf(ElementType.Q4_0, values, 64);
        double[] result = computation.compute(ops.cast(a, ElementType.Q8_0));
        assertClose(result, computation.read(a), TestNumbers.q8Error(40));
    }

    @Test
    void castsTowardsZeroIntoWholeNumbers() {
        Tensor a = computation.f32(-1.75, -0.5, 0.99, 2.5);
        assertThat(computation.compute(ops.cast(a, ElementType.I32))).containsExactly(-1, 0, 0, 2);
    }

    @Test
    void castsLongsToIntsByTheirLowBits() {
        Tensor a = computation.i64(new long[] {5, -6, (1L << 60) + 7}, 3);
        assertThat(computation.compute(ops.cast(a, ElementType.I32))).containsExactly(5, -6, 7);
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "F64", "I16"})
    void castsInOrderThroughAllFourDimensions(ElementType type) {
        Tensor a = computation.leaf(ElementType.I32, TestNumbers.counting(24), 2, 3, 2, 2);
        Tensor turned = ops.permute(a, 3, 1, 0, 2);
        // the result's dimensions are those of a in the order 2, 1, 3, 0
        double[] expected = TestNumbers.of(24, n -> {
            int i2 = n % 2;
            int i1 = n / 2 % 3;
            int i3 = n / 6 % 2;
            int i0 = n / 12;
            return ((i3 * 2 + i2) * 3 + i1) * 2 + i0;
        });
        assertThat(computation.compute(ops.cast(turned, type))).containsExactly(expected);
        assertThat(computation.compute(ops.cpy(turned, ops.tensor(type, 4, 6)))).containsExactly(expected);
    }

    @Test
    void copiesInOrderIntoAnotherShape() {
        Tensor turned = ops.transpose(computation.f32(TestNumbers.counting(6), 3, 2));
        Tensor target = ops.tensor(ElementType.F16, 3, 1, 2);
        assertThat(computation.compute(ops.cpy(turned, target))).containsExactly(0, 3, 1, 4, 2, 5);
        assertThat(computation.read(target)).containsExactly(0, 3, 1, 4, 2, 5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"F32", "F16", "I32", "F64"})
    void copiesIntoAViewAndNothingBesides(String type) {
        Tensor whole = computation.leaf(ElementType.valueOf(type), TestNumbers.counting(12), 4, 3);
        Tensor columns = ops.transpose(ops.view2d(whole, 2, 3, whole.stride(1), whole.stride(0)));
        Tensor source = computation.f32(new double[] {100, 101, 102, 103, 104, 105}, 2, 3);
        assertThat(computation.compute(ops.cpy(source, columns))).containsExactly(100, 101, 102, 103, 104, 105);
        assertThat(computation.read(whole)).containsExactly(0, 100, 103, 3, 4, 101, 104, 7, 8, 102, 105, 11);
    }

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16", "F64", "I8", "I16", "I32", "I64"})
    void repeatsInEveryDimension(ElementType type) {
        Tensor a = computation.leaf(type, TestNumbers.counting(4), 2, 1, 2);
        double[] result = computation.compute(ops.repeat(a, 4, 2, 2, 2));
        double[] once = {0, 1, 0, 1, 0, 1, 0, 1, 2, 3, 2, 3, 2, 3, 2, 3};
        assertThat(result).containsExactly(TestNumbers.of(32, n -> once[n % 16]));
    }

    @Test
    void repeatsQuantisedBlocks() {
        Tensor a = computation.leaf(ElementType.Q4_0, TestNumbers.of(64, i -> i), 32, 2);
        double[] result = computation.compute(ops.repeat(a, 64, 2));
        double[] decoded = computation.read(a);
        assertThat(result).containsExactly(TestNumbers.of(128, n -> decoded[n / 64 * 32 + n % 32]));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void stringsTogetherAlongEveryDimension(int dimension) {
        long[] first = {2, 3, 2, 2};
        long[] second = first.clone();
        second[dimension] = 4;
        double[] a = TestNumbers.counting(24);
        double[] b = TestNumbers.of((int) (24 / first[dimension] * 4), i -> 1000 + i);
        Tensor result = ops.concat(computation.f32(a, first), computation.f32(b, second), dimension);
        double[] expected = TestNumbers.of(a.length + b.length, n -> {
            long[] index = new long[4];
            long rest = n;
            for (int i = 0; i < 4; i++) {
                index[i] = rest % result.dim(i);
                rest /= result.dim(i);
            }
            boolean inFirst = index[dimension] < first[dimension];
            long[] shape = inFirst ? first : second;
            index[dimension] -= inFirst ? 0 : first[dimension];
            long at = ((index[3] * shape[2] + index[2]) * shape[1] + index[1]) * shape[0] + index[0];
            return inFirst ? a[(int) at] : b[(int) at];
        });
        assertThat(computation.compute(result)).containsExactly(expected);
    }

    @Test
    void stringsTogetherStridedAndEmptyOperands() {
        Tensor turned = ops.transpose(computation.f32(TestNumbers.counting(4), 2, 2));
        Tensor none = computation.f32(new double[0], 2, 0);
        assertThat(computation.compute(ops.concat(turned, none, 1))).containsExactly(0, 2, 1, 3);
        assertThat(computation.compute(ops.concat(none, turned, 1))).containsExactly(0, 2, 1, 3);
    }

    @Test
    void copiesATensorOntoItself() {
        Tensor a = computation.f32(TestNumbers.counting(4), 2, 2);
        assertThat(computation.compute(ops.dupInplace(ops.transpose(a)))).containsExactly(0, 2, 1, 3);
        assertThat(computation.read(a)).containsExactly(0, 1, 2, 3);
    }
}
