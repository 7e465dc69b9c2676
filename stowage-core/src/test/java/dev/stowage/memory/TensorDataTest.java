package dev.stowage.memory;

import static dev.stowage.memory.FakeMemory.view;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.AccessException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import dev.stowage.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TensorDataTest {

    private final FakeMemory memory = FakeMemory.aligned(64);
    private final Buffer buffer = memory.allocate(4096);

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F16", "BF16"})
    void writesAndReadsNumbersThatEveryFloatTypeHas(ElementType type) {
        Tensor tensor = placed(type, 3, 2);
        TensorData.setFloats(tensor, 1, -2, 0.5f, 0, Float.POSITIVE_INFINITY, 96);
        assertThat(TensorData.getFloats(tensor)).containsExactly(1, -2, 0.5f, 0, Float.POSITIVE_INFINITY, 96);
    }

    @Test
    void keepsEveryBitOfAFloat() {
        Tensor tensor = placed(ElementType.F32, 100);
        float[] values = new float[100];
        Random random = new Random(6);
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextFloat() * 1e30f;
        }
        TensorData.setFloats(tensor, values);
        assertThat(TensorData.getFloats(tensor)).containsExactly(values);
    }

    @Test
    void roundsToTheNearestBrainFloat() {
        for (long seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            Tensor tensor = placed(ElementType.BF16, 1);
            float value = Float.intBitsToFloat(random.nextInt() & 0xbfff_ffff);
            TensorData.setFloats(tensor, value);
            float below = Float.intBitsToFloat(Float.floatToRawIntBits(value) & 0xffff_0000);
            float above = Float.intBitsToFloat((Float.floatToRawIntBits(value) & 0xffff_0000) + 0x1_0000);
            float nearest = Math.abs((double) value - below) < Math.abs((double) above - value) ? below : above;
            assertThat(TensorData.getFloats(tensor)).as("seed %d", seed).containsExactly(nearest);
        }
    }

    @Test
    void roundsABrainFloatInTheMiddleToTheEvenOne() {
        Tensor tensor = placed(ElementType.BF16, 2);
        TensorData.setFloats(tensor, Float.intBitsToFloat(0x3f80_8000), Float.intBitsToFloat(0x3f81_8000));
        assertThat(TensorData.getFloats(tensor))
                .containsExactly(Float.intBitsToFloat(0x3f80_0000), Float.intBitsToFloat(0x3f82_0000));
    }

    @Test
    void keepsANumberThatIsNone() {
        Tensor brain = placed(ElementType.BF16, 2);
        // The second would become infinite if its lower half were only cut off.
        TensorData.setFloats(brain, Float.NaN, Float.intBitsToFloat(0x7f80_0001));
        assertThat(TensorData.getFloats(brain)).containsOnly(Float.NaN);
        Tensor half = placed(ElementType.F16, 1);
        TensorData.setFloats(half, Float.NaN);
        assertThat(TensorData.getFloats(half)).containsOnly(Float.NaN);
    }

    @Test
    void storesAHalfAsTheStandardSays() {
        Tensor half = placed(ElementType.F16, 2);
        TensorData.setFloats(half, 1, -65504);
        short[] bits = new short[2];
        buffer.get(half, 0, MemorySegment.ofArray(bits));
        assertThat(bits).containsExactly((short) 0x3c00, (short) 0xfbff);
    }

    @Test
    void writesAndReadsInts() {
        Tensor tensor = placed(ElementType.I32, 3);
        TensorData.setInts(tensor, 7, Integer.MIN_VALUE, -1);
        assertThat(TensorData.getInts(tensor)).containsExactly(7, Integer.MIN_VALUE, -1);
    }

    @Test
    void writesAndReadsLongs() {
        Tensor tensor = placed(ElementType.I64, 2);
        TensorData.setLongs(tensor, Long.MAX_VALUE, -1);
        assertThat(TensorData.getLongs(tensor)).containsExactly(Long.MAX_VALUE, -1);
    }

    @Test
    void writesAndReadsEmptyTensors() {
        Tensor tensor = placed(ElementType.F32, 0);
        TensorData.setFloats(tensor);
        assertThat(TensorData.getFloats(tensor)).isEmpty();
    }

    @Test
    void writesAndReadsThroughAView() {
        Tensor tensor = placed(ElementType.F32, 4);
        TensorData.setFloats(tensor, 1, 2, 3, 4);
        Tensor middle = Tensor.builder(Layout.contiguous(ElementType.F32, 2))
                .viewOf(tensor, 4)
                .build();
        assertThat(TensorData.getFloats(middle)).containsExactly(2, 3);
        TensorData.setFloats(middle, 8, 9);
        assertThat(TensorData.getFloats(tensor)).containsExactly(1, 8, 9, 4);
    }

    @Test
    void refusesANumberOfValuesThatIsNotThatOfTheElements() {
        Tensor tensor = placed(ElementType.F32, 4).named("x");
        assertThatThrownBy(() -> TensorData.setFloats(tensor, 1, 2, 3))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("'x'", "4 elements", "3");
        assertThatThrownBy(() -> TensorData.setFloats(tensor, 1, 2, 3, 4, 5)).isInstanceOf(AccessException.class);
        assertThat(TensorData.getFloats(tensor)).containsOnly(0);
    }

    @Test
    void refusesTypesOfAnotherKind() {
        Tensor floats = placed(ElementType.F32, 1);
        Tensor ints = placed(ElementType.I32, 1);
        Tensor quantized = placed(ElementType.Q8_0, 32);
        assertThatThrownBy(() -> TensorData.setFloats(ints, 1))
                .isInstanceOf(InvalidTensorException.class)
                .hasMessageContainingAll("i32", "f32");
        assertThatThrownBy(() -> TensorData.getFloats(quantized)).isInstanceOf(InvalidTensorException.class);
        assertThatThrownBy(() -> TensorData.setInts(floats, 1)).isInstanceOf(InvalidTensorException.class);
        assertThatThrownBy(() -> TensorData.getInts(floats)).isInstanceOf(InvalidTensorException.class);
        assertThatThrownBy(() -> TensorData.setLongs(ints, 1)).isInstanceOf(InvalidTensorException.class);
        assertThatThrownBy(() -> TensorData.getLongs(ints)).isInstanceOf(InvalidTensorException.class);
    }

    @Test
    void refusesTensorsThatAreNotContiguous() {
        Tensor tensor = Tensor.leaf(Layout.strided(ElementType.F32, Shape.of(2, 2), new Strides(8, 4, 16, 16)));
        buffer.place(tensor, 0);
        assertThatThrownBy(() -> TensorData.getFloats(tensor)).isInstanceOf(InvalidTensorException.class);
        assertThatThrownBy(() -> TensorData.setFloats(tensor, 1, 2, 3, 4)).isInstanceOf(InvalidTensorException.class);
    }

    @Test
    void refusesTensorsTooLargeForAnArray() {
        Tensor tensor =
                Tensor.leaf(Layout.contiguous(ElementType.F32, 1L << 32)).named("large");
        MeasuringBufferType.of("measured", 64).allocate(1L << 40).place(tensor, 0);
        assertThatThrownBy(() -> TensorData.getFloats(tensor))
                .isInstanceOf(AccessException.class)
                .hasMessageContainingAll("'large'", "4294967296");
    }

    @Test
    void refusesTensorsWithoutMemory() {
        Tensor tensor = Tensor.leaf(Layout.contiguous(ElementType.F32, 1));
        assertThatThrownBy(() -> TensorData.getFloats(tensor)).isInstanceOf(AccessException.class);
        assertThatThrownBy(() -> TensorData.setFloats(tensor, 1)).isInstanceOf(AccessException.class);
        assertThatThrownBy(() -> TensorData.segment(tensor)).isInstanceOf(AccessException.class);
    }

    @Test
    void givesTheBytesOfATensorInPlace() {
        try (Buffer host = HostBufferType.standard().allocate(192)) {
            Tensor tensor = Tensor.leaf(Layout.contiguous(ElementType.I8, 16));
            host.place(tensor, 64);
            MemorySegment bytes = TensorData.segment(view(tensor, "view", 8, 4));
            bytes.fill((byte) 1);
            assertThat(bytes.byteSize()).isEqualTo(4);
            assertThat(TensorData.segment(tensor).toArray(ValueLayout.JAVA_BYTE))
                    .containsExactly(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0);
        }
    }

    private Tensor placed(ElementType type, long... dimensions) {
        Tensor tensor = Tensor.leaf(Layout.contiguous(type, dimensions));
        buffer.place(tensor, 0);
        buffer.clear((byte) 0);
        return tensor;
    }
}
