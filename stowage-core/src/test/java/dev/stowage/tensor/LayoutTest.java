package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.stowage.error.InvalidTensorException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LayoutTest {

    private static Layout f32(Shape shape, long s0, long s1, long s2, long s3) {
        return Layout.strided(ElementType.F32, shape, new Strides(s0, s1, s2, s3));
    }

    @Test
    void withoutGapsRowsFollowEachOther() {
        Layout layout = Layout.contiguous(ElementType.F16, 3, 5, 7, 2);

        assertThat(layout.strides()).isEqualTo(new Strides(2, 2 * 3, 2 * 3 * 5, 2 * 3 * 5 * 7));
        assertThat(layout.byteSize()).isEqualTo(2 * 3 * 5 * 7 * 2);
    }

    @Test
    void ofBlocksCountsStridesInBlocks() {
        Layout layout = Layout.contiguous(ElementType.Q8_0, 64, 3);

        assertThat(layout.strides()).isEqualTo(new Strides(34, 68, 204, 204));
        assertThat(layout.byteSize()).isEqualTo(204);
    }

    @ParameterizedTest
    @CsvSource({"0, 34", "2, 38", "33, 100", "34, 102"})
    void ofBlocksThatOverlapReachesToTheEndOfTheLast(long stride, long bytes) {
        assertThat(Layout.strided(ElementType.Q8_0, Shape.of(96), new Strides(stride, 0, 0, 0))
                        .byteSize())
                .isEqualTo(2 * stride + ElementType.Q8_0.bytesPerBlock())
                .isEqualTo(bytes);
    }

    @Test
    void ofStridedBlocksCountsAWholeStrideForTheLast() {
        assertThat(Layout.strided(ElementType.Q8_0, Shape.of(96), new Strides(50, 0, 0, 0))
                        .byteSize())
                .isEqualTo(3 * 50);
    }

    @Test
    void refusesPartsOfABlock() {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> Layout.contiguous(ElementType.Q8_0, 33))
                .withMessageContainingAll("33", "q8_0");
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> Layout.strided(ElementType.Q4_K, Shape.of(128), new Strides(144, 144, 144, 144)))
                .withMessageContainingAll("128", "q4_K", "256");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void hasNoBytesWhereADimensionIsZero(int dimension) {
        Shape shape = Shape.of(2, 3, 5, 7).with(dimension, 0);

        assertThat(Layout.contiguous(ElementType.F32, shape).byteSize()).isZero();
        assertThat(f32(shape, 4, 100, 1000, 10_000).byteSize()).isZero();
    }

    static Stream<Arguments> contiguousLayoutsThatAreTooLarge() {
        long quarter = 1L << 61;
        return Stream.of(
                arguments(Shape.of(quarter)),
                arguments(Shape.of(1, quarter)),
                arguments(Shape.of(1, 1, quarter)),
                arguments(Shape.of(1, 1, 1, quarter)),
                arguments(Shape.of(1L << 31, 1L << 30)),
                arguments(Shape.of(1, 1L << 31, 1L << 30)),
                arguments(Shape.of(1, 1, 1L << 31, 1L << 30)),
                arguments(Shape.of(Long.MAX_VALUE)),
                arguments(Shape.of(1, Long.MAX_VALUE)));
    }

    @ParameterizedTest
    @MethodSource("contiguousLayoutsThatAreTooLarge")
    void refusesMoreBytesThanALongCanCount(Shape shape) {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> Layout.contiguous(ElementType.F32, shape))
                .withMessageContaining("more bytes than a long can count");
    }

    static Stream<Arguments> stridesThatAreTooLong() {
        long most = Long.MAX_VALUE;
        Shape twos = Shape.of(2, 2, 2, 2);
        return Stream.of(
                arguments(twos, new Strides(most, 4, 4, 4)),
                arguments(twos, new Strides(4, most, 4, 4)),
                arguments(twos, new Strides(4, 4, most, 4)),
                arguments(twos, new Strides(4, 4, 4, most)),
                arguments(twos, new Strides(most / 2, most / 2, 4, 4)),
                arguments(twos, new Strides(4, 4, most / 2, most / 2)),
                arguments(twos, new Strides(most / 4, most / 4, most / 4, most / 4)),
                arguments(Shape.of(3), new Strides(most / 2 + 1, 4, 4, 4)),
                arguments(Shape.of(1, 3), new Strides(4, most / 2 + 1, 4, 4)),
                arguments(Shape.of(1, 1, 1L << 32), new Strides(4, 4, 1L << 32, 4)));
    }

    @ParameterizedTest
    @MethodSource("stridesThatAreTooLong")
    void refusesStridesThatReachFurtherThanALongCanCount(Shape shape, Strides strides) {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> Layout.strided(ElementType.F32, shape, strides))
                .withMessageContaining("more bytes than a long can count");
    }

    @Test
    void reachesAsFarAsALongCanCount() {
        assertThat(f32(Shape.of(1, 2), 4, Long.MAX_VALUE - 4, 0, 0).byteSize()).isEqualTo(Long.MAX_VALUE);
        assertThat(Layout.contiguous(ElementType.I8, Long.MAX_VALUE).byteSize()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void doesNotCountStridesOfDimensionsThatAreNotUsed() {
        long most = Long.MAX_VALUE;

        assertThat(f32(Shape.SCALAR, most, most, most, most).byteSize()).isEqualTo(4);
    }

    @Test
    void isTransposedWhereAStepAlongARowIsTheLonger() {
        assertThat(f32(Shape.of(4, 8), 32, 4, 128, 128).isTransposed()).isTrue();
        assertThat(Layout.contiguous(ElementType.F32, 4, 8).isTransposed()).isFalse();
        assertThat(f32(Shape.of(4, 8, 2), 4, 64, 16, 256).isTransposed()).isFalse();
    }

    @Test
    void isPermutedWhereAnyStepIsLongerThanTheNext() {
        assertThat(Layout.contiguous(ElementType.F32, 4, 8, 2, 3).isPermuted()).isFalse();
        assertThat(f32(Shape.of(2, 2, 2, 2), 8, 4, 16, 32).isPermuted()).isTrue();
        assertThat(f32(Shape.of(2, 2, 2, 2), 4, 16, 8, 32).isPermuted()).isTrue();
        assertThat(f32(Shape.of(2, 2, 2, 2), 4, 8, 32, 16).isPermuted()).isTrue();
    }

    @Test
    void hasContiguousChannelsWhereTheyAreInnermost() {
        long width = 5;
        long height = 3;
        long channels = 4;
        Shape image = Shape.of(width, height, channels);

        assertThat(f32(image, channels * 4, width * channels * 4, 4, width * height * channels * 4)
                        .hasContiguousChannels())
                .isTrue();
        assertThat(Layout.contiguous(ElementType.F32, image).hasContiguousChannels())
                .isFalse();
        assertThat(f32(image, height * channels * 4, channels * 4, 4, 240).hasContiguousChannels())
                .as("columns before rows")
                .isFalse();
    }

    @Test
    void isEqualToOneOfTheSameTypeShapeAndStrides() {
        Layout layout = Layout.contiguous(ElementType.F32, 4, 2);

        assertThat(f32(Shape.of(4, 2), 4, 16, 32, 32)).isEqualTo(layout).hasSameHashCodeAs(layout);
        assertThat(f32(Shape.of(4, 2), 4, 16, 32, 64)).isNotEqualTo(layout);
        assertThat(f32(Shape.of(4, 1, 2), 4, 16, 32, 32)).isNotEqualTo(layout);
        assertThat(Layout.strided(ElementType.I32, layout.shape(), layout.strides()))
                .isNotEqualTo(layout);
        assertThat(layout).isNotEqualTo("f32[4, 2]");
    }

    @Test
    void isWrittenWithItsStridesOnlyWhereThereAreGaps() {
        assertThat(Layout.contiguous(ElementType.F32, 64, 32)).hasToString("f32[64, 32]");
        assertThat(f32(Shape.of(8, 4), 4, 64, 256, 256)).hasToString("f32[8, 4]/[4, 64, 256, 256]");
    }
}
