package dev.stowage.cpu.kernel.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RowEncoderTest {

    private static final int ROUNDS = 60;
    private static final byte UNTOUCHED = 0x5A;

    /** A kind of numbers that goes wrong in its own way. */
    private enum Numbers {
        ORDINARY,
        HALVES,
        TINY,
        MOSTLY_ZEROS,
        OF_ONE_SIGN,
        HUGE;

        float next(Random random) {
            return switch (this) {
                case ORDINARY -> (float) random.nextGaussian();
                case HALVES -> random.nextInt(-254, 255) / 2f;
                case TINY -> (float) (random.nextGaussian() * Float.MIN_NORMAL) / (1 << random.nextInt(8));
                case MOSTLY_ZEROS ->
                    random.nextInt(40) == 0 ? (float) random.nextGaussian() : random.nextBoolean() ? 0f : -0f;
                case OF_ONE_SIGN -> -random.nextFloat() - 1;
                case HUGE -> random.nextFloat(-Float.MAX_VALUE, Float.MAX_VALUE);
            };
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q8_1", "Q6_K", "IQ4_NL"})
    void writesTheBytesThatTheReferenceWritesAndNoOthers(ElementType type) {
        for (long seed = 0; seed < ROUNDS; seed++) {
            Random random = new Random(seed);
            Numbers kind = Numbers.values()[random.nextInt(Numbers.values().length)];
            float[] numbers = new float[type.blockSize() * (1 + random.nextInt(type.isQuantized() ? 5 : 70))];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = kind.next(random);
            }
            assertThat(encoded(type, numbers))
                    .as("%s of %s numbers, seed %d", type, kind, seed)
                    .isEqualTo(expected(type, numbers));
        }
    }

    private static byte[] encoded(ElementType type, float[] numbers) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocateFrom(ValueLayout.JAVA_FLOAT, numbers);
            MemorySegment target = arena.allocate(type.rowBytes(numbers.length) + 64);
            target.fill(UNTOUCHED);
            RowEncoder.of(type).encode(source.address(), target.address(), numbers.length);
            return target.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    private static byte[] expected(ElementType type, float[] numbers) {
        MemorySegment target = MemorySegment.ofArray(new byte[Math.toIntExact(type.rowBytes(numbers.length)) + 64]);
        target.fill(UNTOUCHED);
        BlockFormat.of(type).quantize(numbers, 0, numbers.length, target, 0);
        return target.toArray(ValueLayout.JAVA_BYTE);
    }
}
