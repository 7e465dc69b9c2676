package dev.stowage.cpu.kernel.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.reference.quant.bits.FloatFormats;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class HalfKernelsTest {

    private static final int ALL_HALVES = 1 << 16;

    /** Odd, so that all low bits and all exponents come up. */
    private static final int STEP = 16411;

    @Test
    void readsEveryHalfExactly() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment halves = arena.allocate(ALL_HALVES * 2L, 4);
            MemorySegment floats = arena.allocate(ALL_HALVES * 4L, 4);
            int[] expected = new int[ALL_HALVES];
            for (int i = 0; i < ALL_HALVES; i++) {
                halves.setAtIndex(ValueLayout.JAVA_SHORT, i, (short) i);
                expected[i] = Float.floatToRawIntBits(FloatFormats.fromHalf((short) i));
            }
            HalfKernels.toFloats(halves.address(), floats.address(), ALL_HALVES);
            assertThat(floats.toArray(ValueLayout.JAVA_INT)).isEqualTo(expected);
        }
    }

    @Test
    void writesTheNearestHalfOfEveryKindOfFloat() {
        int count = (int) ((1L << 32) / STEP);
        short[] expected = new short[count];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment floats = arena.allocate(count * 4L, 4);
            MemorySegment halves = arena.allocate(count * 2L, 4);
            for (int i = 0; i < count; i++) {
                float value = number(i);
                floats.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
                expected[i] = Float.floatToFloat16(value);
            }
            HalfKernels.fromFloats(floats.address(), halves.address(), count);
            assertThat(halves.toArray(ValueLayout.JAVA_SHORT)).isEqualTo(expected);
        }
    }

    @Test
    void makesNaNOfNaN() {
        try (Arena arena = Arena.ofConfined()) {
            int[] bits = new int[40];
            for (int i = 0; i < bits.length; i++) {
                bits[i] = 0x7F80_0001 + i * 0x3_1415 | (i % 2 << 31);
            }
            MemorySegment floats = arena.allocateFrom(ValueLayout.JAVA_INT, bits);
            MemorySegment halves = arena.allocate(bits.length * 2L, 2);
            HalfKernels.fromFloats(floats.address(), halves.address(), bits.length);
            for (short half : halves.toArray(ValueLayout.JAVA_SHORT)) {
                assertThat(Float.float16ToFloat(half)).isNaN();
            }
        }
    }

    @Test
    void writesTheNearestBrainFloatOfEveryKindOfFloat() {
        int count = (int) ((1L << 32) / STEP);
        short[] expected = new short[count];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment floats = arena.allocate(count * 4L, 4);
            MemorySegment brainFloats = arena.allocate(count * 2L, 4);
            for (int i = 0; i < count; i++) {
                floats.setAtIndex(ValueLayout.JAVA_INT, i, i * STEP);
                expected[i] = FloatFormats.toBrainFloat(Float.intBitsToFloat(i * STEP));
            }
            BrainFloatKernels.fromFloats(floats.address(), brainFloats.address(), count);
            assertThat(brainFloats.toArray(ValueLayout.JAVA_SHORT)).isEqualTo(expected);
        }
    }

    /** All exponents and signs, and in place of NaN, whose fractions platforms treat differently, halfway numbers. */
    private static float number(int i) {
        float value = Float.intBitsToFloat(i * STEP);
        return Float.isNaN(value) ? Float.float16ToFloat((short) (i & 0x7BFF)) * (1 + 0x1p-11f) : value;
    }
}
