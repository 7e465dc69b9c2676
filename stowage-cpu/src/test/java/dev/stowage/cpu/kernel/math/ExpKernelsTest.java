package dev.stowage.cpu.kernel.math;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cpu.kernel.Memory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class ExpKernelsTest {

    private static final int COUNT = 61;

    /** Neighbouring floats of the whole range, in runs that are not a whole number of vectors. */
    @Test
    void isWithinThreeUnitsInTheLastPlace() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(COUNT * 4L, 4);
            MemorySegment to = arena.allocate(COUNT * 4L, 4);
            for (long bits = Integer.MIN_VALUE; bits + COUNT * 25_801L < Integer.MAX_VALUE; bits += COUNT * 25_801L) {
                for (int i = 0; i < COUNT; i++) {
                    Memory.setInt(from.address() + i * 4L, (int) (bits + i * 25_801L));
                }
                ExpKernels.exp(from.address(), to.address(), COUNT);
                for (int i = 0; i < COUNT; i++) {
                    float x = Memory.getFloat(from.address() + i * 4L);
                    float e = Memory.getFloat(to.address() + i * 4L);
                    float expected = (float) Math.exp(x);
                    assertThat(isNear(e, expected))
                            .as("exp(%s) is %s, not %s", x, expected, e)
                            .isTrue();
                }
            }
        }
    }

    private static boolean isNear(float actual, float expected) {
        return Float.isNaN(expected)
                ? Float.isNaN(actual)
                : actual == expected || Math.abs((double) actual - expected) <= 3 * Math.ulp(expected);
    }

    @Test
    void writesNothingAfterTheLastResult() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment both = arena.allocate((COUNT + 1) * 4L, 4);
            Memory.setFloat(both.address() + COUNT * 4L, 7f);
            ExpKernels.exp(both.address(), both.address(), COUNT);
            assertThat(Memory.getFloat(both.address() + COUNT * 4L)).isEqualTo(7f);
            assertThat(Memory.getFloat(both.address() + (COUNT - 1) * 4L)).isEqualTo(1f);
        }
    }
}
