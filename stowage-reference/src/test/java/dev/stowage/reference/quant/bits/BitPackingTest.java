package dev.stowage.reference.quant.bits;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BitPackingTest {

    private static MemorySegment memory(int bytes) {
        return MemorySegment.ofArray(new byte[bytes]);
    }

    private static int[] numbers(int count, int bound) {
        return new Random(count).ints(count, 0, bound).toArray();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 16, 32, 64})
    void nibblesKeepTheirNumbers(int half) {
        int[] numbers = numbers(256, 16);
        MemorySegment bytes = memory(128);
        for (int i = 0; i < numbers.length; i++) {
            Nibbles.put(bytes, 0, half, i, numbers[i]);
        }

        for (int i = 0; i < numbers.length; i++) {
            assertThat(Nibbles.get(bytes, 0, half, i)).isEqualTo(numbers[i]);
        }
    }

    @Test
    void nibblesOfTheTwoHalvesShareAByte() {
        MemorySegment bytes = memory(16);
        Nibbles.put(bytes, 0, 16, 3, 0x5);
        Nibbles.put(bytes, 0, 16, 19, 0xA);

        assertThat(BlockBytes.u8(bytes, 3)).isEqualTo(0xA5);
    }

    @Test
    void twoBitsKeepTheirNumbers() {
        int[] numbers = numbers(256, 4);
        MemorySegment bytes = memory(64);
        for (int i = 0; i < numbers.length; i++) {
            TwoBits.put(bytes, 0, i, numbers[i]);
        }

        for (int i = 0; i < numbers.length; i++) {
            assertThat(TwoBits.get(bytes, 0, i)).isEqualTo(numbers[i]);
        }
    }

    @Test
    void oneBitsKeepTheirNumbers() {
        int[] numbers = numbers(256, 2);
        MemorySegment bytes = memory(32);
        for (int i = 0; i < numbers.length; i++) {
            OneBits.put(bytes, 0, i, numbers[i]);
        }

        for (int i = 0; i < numbers.length; i++) {
            assertThat(OneBits.get(bytes, 0, i)).isEqualTo(numbers[i]);
        }
    }

    @Test
    void sixBitScalesKeepTheirNumbers() {
        int[] numbers = numbers(16, 64);
        MemorySegment bytes = memory(12);
        for (int i = 0; i < 8; i++) {
            SixBitScales.put(bytes, 0, i, numbers[i], numbers[8 + i]);
        }

        for (int i = 0; i < 8; i++) {
            assertThat(SixBitScales.scale(bytes, 0, i)).isEqualTo(numbers[i]);
            assertThat(SixBitScales.min(bytes, 0, i)).isEqualTo(numbers[8 + i]);
        }
    }
}
