package dev.stowage.testkit.op;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Shape;
import dev.stowage.tensor.Strides;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ElementCodecTest {

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {"F32", "F64", "F16", "BF16", "I8", "I16", "I32", "I64"})
    void smallWholeNumbersComeBackFromEveryPlainType(ElementType type) {
        double[] numbers = {0, 1, -2, 100, -128, 127};

        byte[] bytes = ElementCodec.encode(type, 3, numbers);

        assertThat(bytes).hasSize(numbers.length * type.bytesPerBlock());
        assertThat(ElementCodec.decode(Layout.contiguous(type, 3, 2), bytes)).isEqualTo(numbers);
    }

    @ParameterizedTest
    @EnumSource(ElementType.class)
    void whatEveryTypeHoldsIsCloserToTheNumbersItWasGivenThanZerosWouldBe(ElementType type) {
        int length = 2 * type.blockSize();
        double[] numbers = Fill.gaussian(3).values(Shape.of(length, 3), new SplittableRandom(1));
        Layout layout = Layout.contiguous(type, length, 3);

        byte[] bytes = ElementCodec.encode(type, length, numbers);

        assertThat(bytes.length).isEqualTo(layout.byteSize());
        assertThat(Nmse.of(numbers, ElementCodec.decode(layout, bytes)).error()).isLessThan(1);
    }

    @Test
    void elementsAreFoundByTheirStrides() {
        byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8};
        Layout columns = Layout.strided(ElementType.I8, Shape.of(2, 3), new Strides(4, 1, 8, 8));

        assertThat(ElementCodec.decode(columns, bytes)).containsExactly(1, 5, 2, 6, 3, 7);
    }

    @Test
    void anEmptyTensorHasNoBytesAndNoElements() {
        assertThat(ElementCodec.encode(ElementType.F32, 0, new double[0])).isEmpty();
        assertThat(ElementCodec.decode(Layout.contiguous(ElementType.F32, 0, 3), new byte[0]))
                .isEmpty();
    }
}
