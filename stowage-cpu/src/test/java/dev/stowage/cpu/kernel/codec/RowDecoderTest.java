package dev.stowage.cpu.kernel.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RowDecoderTest {

    private static final int ROUNDS = 20;
    private static final int GUARD = 16;

    static Stream<ElementType> formats() {
        return Arrays.stream(ElementType.values()).filter(type -> !type.isInteger() && type != ElementType.F64);
    }

    @ParameterizedTest
    @MethodSource("formats")
    void decodesAnyBytesAsTheReferenceDoes(ElementType type) {
        for (long seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            int count = type.blockSize() * (1 + random.nextInt(type.isQuantized() ? 4 : 70));
            byte[] bytes = new byte[Math.toIntExact(type.rowBytes(count))];
            random.nextBytes(bytes);
            try (Arena arena = Arena.ofConfined()) {
                // One byte off, since blocks may begin anywhere.
                MemorySegment blocks = arena.allocate(bytes.length + 1L, 64).asSlice(1);
                MemorySegment.copy(bytes, 0, blocks, ValueLayout.JAVA_BYTE, 0, bytes.length);
                float[] expected = new float[count];
                BlockFormat.of(type).dequantize(blocks, 0, expected, 0, count);
                float[] actual = decoded(type, blocks, count, arena);
                assertThat(actual).as("%s, seed %d", type, seed).isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("formats")
    void writesNothingAfterTheLastElement(ElementType type) {
        try (Arena arena = Arena.ofConfined()) {
            int count = type.blockSize() * 3;
            MemorySegment blocks = arena.allocate(type.rowBytes(count));
            MemorySegment target = arena.allocate((count + GUARD) * 4L, 4);
            target.fill((byte) 0x5A);
            RowDecoder.of(type).decode(blocks.address(), target.address(), count);
            byte[] rest = target.asSlice(count * 4L).toArray(ValueLayout.JAVA_BYTE);
            assertThat(rest).as("%s", type).containsOnly((byte) 0x5A);
        }
    }

    private static float[] decoded(ElementType type, MemorySegment blocks, int count, Arena arena) {
        MemorySegment target = arena.allocate(count * 4L, 4);
        RowDecoder.of(type).decode(blocks.address(), target.address(), count);
        return target.toArray(ValueLayout.JAVA_FLOAT);
    }
}
