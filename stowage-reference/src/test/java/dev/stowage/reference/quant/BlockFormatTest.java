package dev.stowage.reference.quant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class BlockFormatTest {

    private static final byte GUARD = 0x5A;

    static Stream<ElementType> types() {
        return Stream.concat(
                Stream.of(ElementType.F32, ElementType.F16, ElementType.BF16),
                Arrays.stream(ElementType.values()).filter(ElementType::isQuantized));
    }

    private static float[] normal(long seed, int count) {
        Random random = new Random(seed);
        float[] floats = new float[count];
        for (int i = 0; i < count; i++) {
            floats[i] = (float) random.nextGaussian();
        }
        return floats;
    }

    private static MemorySegment quantized(ElementType type, float[] floats) {
        MemorySegment blocks = MemorySegment.ofArray(new byte[(int) type.rowBytes(floats.length)]);
        BlockFormat.of(type).quantize(floats, 0, floats.length, blocks, 0);
        return blocks;
    }

    @ParameterizedTest
    @MethodSource("types")
    void isThereForEveryTypeThatStandsForFloats(ElementType type) {
        assertThat(BlockFormat.of(type).type()).isEqualTo(type);
    }

    @ParameterizedTest
    @EnumSource(names = {"I8", "I16", "I32", "I64", "F64"})
    void isNotThereForTypesThatFloatsCannotHold(ElementType type) {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> BlockFormat.of(type))
                .withMessageContaining(type.label())
                .withMessageContaining("q4_K");
    }

    @ParameterizedTest
    @MethodSource("types")
    void treatsEveryBlockAlone(ElementType type) {
        int size = type.blockSize();
        float[] floats = normal(1, 5 * size);
        MemorySegment together = quantized(type, floats);
        MemorySegment apart = MemorySegment.ofArray(new byte[(int) together.byteSize()]);
        for (int block = 4; block >= 0; block--) {
            BlockFormat.of(type).quantize(floats, block * size, size, apart, (long) block * type.bytesPerBlock());
        }

        assertThat(apart.mismatch(together)).isEqualTo(-1);
    }

    @ParameterizedTest
    @MethodSource("types")
    void writesNothingButItsBlocks(ElementType type) {
        MemorySegment expected = quantized(type, normal(2, type.blockSize()));
        int bytes = type.bytesPerBlock();
        byte[] memory = new byte[3 * bytes];
        Arrays.fill(memory, GUARD);
        BlockFormat.of(type).quantize(normal(2, type.blockSize()), 0, type.blockSize(), wrap(memory), bytes);

        byte[] wanted = new byte[3 * bytes];
        Arrays.fill(wanted, GUARD);
        MemorySegment.copy(expected, 0, wrap(wanted), bytes, bytes);
        assertThat(memory).isEqualTo(wanted);
    }

    @ParameterizedTest
    @MethodSource("types")
    void readsNothingIntoTheRestOfTheArray(ElementType type) {
        int size = type.blockSize();
        float[] target = new float[3 * size];
        Arrays.fill(target, GUARD);
        BlockFormat.of(type).dequantize(quantized(type, normal(3, size)), 0, target, size, size);

        assertThat(Arrays.copyOf(target, size)).containsOnly(GUARD);
        assertThat(Arrays.copyOfRange(target, 2 * size, 3 * size)).containsOnly(GUARD);
    }

    @ParameterizedTest
    @MethodSource("types")
    void takesBlocksAtAnyAddress(ElementType type) {
        float[] floats = normal(4, type.blockSize());
        MemorySegment aligned = quantized(type, floats);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment odd = arena.allocate(type.bytesPerBlock() + 1, Long.BYTES);
            BlockFormat.of(type).quantize(floats, 0, floats.length, odd, 1);
            float[] read = new float[floats.length];
            float[] readOdd = new float[floats.length];
            BlockFormat.of(type).dequantize(aligned, 0, read, 0, read.length);
            BlockFormat.of(type).dequantize(odd, 1, readOdd, 0, readOdd.length);

            assertThat(odd.asSlice(1).mismatch(aligned)).isEqualTo(-1);
            assertThat(readOdd).isEqualTo(read);
        }
    }

    @ParameterizedTest
    @MethodSource("types")
    void servesManyThreadsAtOnce(ElementType type) {
        float[] floats = normal(5, 2 * type.blockSize());
        MemorySegment expected = quantized(type, floats);

        assertThat(IntStream.range(0, 32).parallel().mapToObj(_ -> quantized(type, floats)))
                .allSatisfy(blocks -> assertThat(blocks.mismatch(expected)).isEqualTo(-1));
    }

    @Test
    void takesNoElementsAtAll() {
        BlockFormat.of(ElementType.Q4_0).quantize(new float[0], 0, 0, MemorySegment.NULL, 0);
        BlockFormat.of(ElementType.Q4_0).dequantize(MemorySegment.NULL, 0, new float[0], 0, 0);
    }

    @Test
    void refusesCountsThatAreNotAWholeNumberOfBlocks() {
        assertThatExceptionOfType(InvalidTensorException.class)
                .isThrownBy(() -> BlockFormat.of(ElementType.Q4_0)
                        .quantize(new float[64], 0, 33, MemorySegment.ofArray(new byte[36]), 0))
                .withMessageContaining("33")
                .withMessageContaining("q4_0")
                .withMessageContaining("multiple of 32");
    }

    @Test
    void refusesElementsOutsideTheArray() {
        MemorySegment blocks = MemorySegment.ofArray(new byte[36]);
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> BlockFormat.of(ElementType.Q4_0).quantize(new float[63], 0, 64, blocks, 0))
                .withMessage("q4_0: 64 elements from index 0 do not fit into an array of 63 floats");
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> BlockFormat.of(ElementType.Q4_0).dequantize(blocks, 0, new float[64], -1, 32))
                .withMessageContaining("from index -1");
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() ->
                        BlockFormat.of(ElementType.Q4_0).dequantize(blocks, 0, new float[64], Integer.MAX_VALUE, 32))
                .withMessageContaining("2147483647");
    }

    @Test
    void refusesBlocksOutsideTheMemory() {
        MemorySegment blocks = MemorySegment.ofArray(new byte[35]);
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> BlockFormat.of(ElementType.Q4_0).dequantize(blocks, 0, new float[64], 0, 64))
                .withMessage("q4_0: 64 elements are 36 bytes, which from offset 0 do not fit into memory of 35 bytes");
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> BlockFormat.of(ElementType.Q4_0).dequantize(blocks, -18, new float[64], 0, 32))
                .withMessageContaining("offset -18");
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(
                        () -> BlockFormat.of(ElementType.Q4_0).dequantize(blocks, Long.MAX_VALUE, new float[64], 0, 32))
                .withMessageContaining("offset 9223372036854775807");
    }

    @Test
    void refusesToWriteIntoReadOnlyMemory() {
        MemorySegment blocks = MemorySegment.ofArray(new byte[18]).asReadOnly();
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> BlockFormat.of(ElementType.Q4_0).quantize(new float[32], 0, 32, blocks, 0))
                .withMessageContaining("read-only");
    }

    @Test
    void refusesClosedMemory() {
        Arena arena = Arena.ofConfined();
        MemorySegment blocks = arena.allocate(18);
        arena.close();
        assertThatExceptionOfType(ClosedException.class)
                .isThrownBy(() -> BlockFormat.of(ElementType.Q4_0).dequantize(blocks, 0, new float[32], 0, 32))
                .withMessageContaining("q4_0");
    }

    @Test
    void writesNothingWhenItRefuses() {
        byte[] memory = new byte[18];
        Arrays.fill(memory, GUARD);
        assertThatExceptionOfType(AccessException.class)
                .isThrownBy(() -> BlockFormat.of(ElementType.Q4_0).quantize(new float[64], 0, 64, wrap(memory), 0));

        assertThat(wrap(memory).toArray(ValueLayout.JAVA_BYTE)).containsOnly(GUARD);
    }

    private static MemorySegment wrap(byte[] memory) {
        return MemorySegment.ofArray(memory);
    }
}
