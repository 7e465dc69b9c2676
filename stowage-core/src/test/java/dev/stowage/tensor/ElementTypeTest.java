package dev.stowage.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidTensorException;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ElementTypeTest {

    private static final int HALF = 2;
    private static final int SINGLE = 4;

    /** The elements of a block, and the parts it consists of in bytes: scales, minima, high bits, quants. */
    private record Block(int elements, List<Integer> parts) {}

    private static Map.Entry<ElementType, Block> block(ElementType type, int elements, Integer... parts) {
        return Map.entry(type, new Block(elements, List.of(parts)));
    }

    private static final Map<ElementType, Block> BLOCKS = new EnumMap<>(Map.ofEntries(
            block(ElementType.Q1_0, 128, HALF, 128 / 8),
            block(ElementType.Q2_0, 64, HALF, 64 / 4),
            block(ElementType.Q4_0, 32, HALF, 32 / 2),
            block(ElementType.Q4_1, 32, HALF, HALF, 32 / 2),
            block(ElementType.Q5_0, 32, HALF, 32 / 8, 32 / 2),
            block(ElementType.Q5_1, 32, HALF, HALF, 32 / 8, 32 / 2),
            block(ElementType.Q8_0, 32, HALF, 32),
            block(ElementType.Q8_1, 32, HALF, HALF, 32),
            block(ElementType.MXFP4, 32, 1, 32 / 2),
            block(ElementType.NVFP4, 64, 64 / 16, 64 / 2),
            block(ElementType.TQ1_0, 256, HALF, 256 / 64, (256 - 4 * 256 / 64) / 5),
            block(ElementType.TQ2_0, 256, HALF, 256 / 4),
            block(ElementType.Q2_K, 256, HALF, HALF, 256 / 16, 256 / 4),
            block(ElementType.Q3_K, 256, HALF, 12, 256 / 8, 256 / 4),
            block(ElementType.Q4_K, 256, HALF, HALF, 12, 256 / 2),
            block(ElementType.Q5_K, 256, HALF, HALF, 12, 256 / 8, 256 / 2),
            block(ElementType.Q6_K, 256, HALF, 256 / 16, 256 / 4, 256 / 2),
            block(ElementType.Q8_K, 256, SINGLE, 256, 256 / 16 * 2),
            block(ElementType.IQ1_S, 256, HALF, 256 / 8, 256 / 32 * 2),
            block(ElementType.IQ1_M, 256, 256 / 8, 256 / 16, 256 / 32),
            block(ElementType.IQ2_XXS, 256, HALF, 256 / 8 * 2),
            block(ElementType.IQ2_XS, 256, HALF, 256 / 8 * 2, 256 / 32),
            block(ElementType.IQ2_S, 256, HALF, 256 / 4, 256 / 32, 256 / 32),
            block(ElementType.IQ3_XXS, 256, HALF, 3 * 256 / 8),
            block(ElementType.IQ3_S, 256, HALF, 256 / 4, 256 / 32, 256 / 8, 256 / 64),
            block(ElementType.IQ4_NL, 32, HALF, 32 / 2),
            block(ElementType.IQ4_XS, 256, HALF, 2, 256 / 64, 256 / 2)));

    static Stream<ElementType> quantized() {
        return Arrays.stream(ElementType.values()).filter(ElementType::isQuantized);
    }

    @ParameterizedTest
    @MethodSource("quantized")
    void aBlockHasTheBytesOfItsParts(ElementType type) {
        var block = Objects.requireNonNull(BLOCKS.get(type), type.label());
        assertThat(type.blockSize()).isEqualTo(block.elements());
        assertThat(type.bytesPerBlock())
                .isEqualTo(block.parts().stream().mapToInt(part -> part).sum());
    }

    static Stream<ElementType> plain() {
        return Arrays.stream(ElementType.values()).filter(type -> !type.isQuantized());
    }

    @ParameterizedTest
    @MethodSource("plain")
    void plainTypesHaveTheBytesTheirNameSays(ElementType type) {
        int bits = Integer.parseInt(type.label().replaceAll("\\D", ""));

        assertThat(type.bytesPerBlock() * Byte.SIZE).isEqualTo(bits);
    }

    @ParameterizedTest
    @EnumSource
    void everyTypeIsOneOfFloatIntegerAndQuantized(ElementType type) {
        assertThat(Stream.of(type.isFloat(), type.isInteger(), type.isQuantized())
                        .filter(is -> is))
                .hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void aRowHasTheBytesOfItsBlocks(ElementType type) {
        for (int blocks = 0; blocks < 5; blocks++) {
            assertThat(type.rowBytes((long) blocks * type.blockSize())).isEqualTo((long) blocks * type.bytesPerBlock());
        }
    }

    @ParameterizedTest
    @MethodSource("quantized")
    void refusesRowsThatAreNotAWholeNumberOfBlocks(ElementType type) {
        for (int elements : new int[] {1, type.blockSize() - 1, type.blockSize() + 1}) {
            assertThatExceptionOfType(InvalidTensorException.class)
                    .isThrownBy(() -> type.rowBytes(elements))
                    .withMessageContainingAll(
                            Integer.toString(elements), type.label(), Integer.toString(type.blockSize()));
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusesRowsOfNegativeLength(ElementType type) {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> type.rowBytes(-type.blockSize()))
                .withMessageContaining(Integer.toString(-type.blockSize()));
    }

    @ParameterizedTest
    @EnumSource
    void countsTheBytesOfTheLongestRow(ElementType type) {
        long blocks = Math.min(Long.MAX_VALUE / type.bytesPerBlock(), Long.MAX_VALUE / type.blockSize());

        assertThat(type.rowBytes(blocks * type.blockSize())).isEqualTo(blocks * type.bytesPerBlock());
    }

    /** Those of which a row can have more bytes than elements. */
    static Stream<ElementType> largerThanABytePerElement() {
        return Arrays.stream(ElementType.values()).filter(type -> type.bytesPerBlock() > type.blockSize());
    }

    @ParameterizedTest
    @MethodSource("largerThanABytePerElement")
    void refusesRowsWithMoreBytesThanALongCanCount(ElementType type) {
        long blocks = Long.MAX_VALUE / type.bytesPerBlock() + 1;

        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> type.rowBytes(blocks * type.blockSize()))
                .withMessageContaining(type.label());
    }

    @ParameterizedTest
    @EnumSource
    void isFoundByItsLabelInAnyCase(ElementType type) {
        assertThat(ElementType.named(type.label())).isEqualTo(type);
        assertThat(ElementType.named(type.label().toUpperCase(Locale.ROOT))).isEqualTo(type);
        assertThat(ElementType.named(type.name())).isEqualTo(type);
    }

    @ParameterizedTest
    @EnumSource
    void isFoundByItsCode(ElementType type) {
        assertThat(ElementType.ofCode(type.code())).isEqualTo(type);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "f33", " f32", "q4"})
    void refusesAnUnknownLabelAndListsTheKnownOnes(String label) {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> ElementType.named(label))
                .withMessageContainingAll("'" + label + "'", "f32", "q4_K", "q2_0");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 4, 5, 31, 32, 33, 36, 37, 38, 43, Integer.MAX_VALUE})
    void refusesAnUnknownCode(int code) {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> ElementType.ofCode(code))
                .withMessageContaining(Integer.toString(code));
    }

    @Test
    void isWrittenAsItsLabel() {
        assertThat(ElementType.Q4_K).hasToString("q4_K");
    }
}
