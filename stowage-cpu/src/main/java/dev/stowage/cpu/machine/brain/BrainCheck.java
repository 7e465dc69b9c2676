package dev.stowage.cpu.machine.brain;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Runs the largest and the smallest tile once and compares them with plain loops: a processor that does something else, or a
 * virtual machine that promises what it does not have, must not compute nonsense.
 */
final class BrainCheck {

    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;

    private static final int STEPS = 2;
    private static final int ELEMENTS = STEPS * BrainKernels.STEP;
    private static final double PRECISION = 1e-5;

    private BrainCheck() {}

    /** What is wrong with the kernels, with both numbers; empty where nothing is. */
    static Optional<String> firstWrong(BrainKernels kernels) {
        return firstWrong(kernels, kernels.rows(), BrainKernels.WIDEST).or(() -> firstWrong(kernels, 1, 1));
    }

    private static Optional<String> firstWrong(BrainKernels kernels, int rows, int vectors) {
        int columns = vectors * BrainKernels.LANES;
        SplittableRandom random = new SplittableRandom(rows);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment weights = randomBrains(arena, rows * ELEMENTS, random);
            MemorySegment panel = randomBrains(arena, columns * ELEMENTS, random);
            MemorySegment sums = arena.allocate((long) rows * columns * Float.BYTES, Float.BYTES);
            kernels.tile(rows, vectors)
                    .multiply(weights.address(), ELEMENTS * Short.BYTES, panel.address(), STEPS, sums.address());
            for (int i = 0; i < rows * columns; i++) {
                double expected = 0;
                double size = 0;
                for (int k = 0; k < ELEMENTS; k++) {
                    int pair = k / 2 * columns + i % columns;
                    double product = get(weights, i / columns * ELEMENTS + k) * get(panel, 2 * pair + k % 2);
                    expected += product;
                    size += Math.abs(product);
                }
                float actual = sums.getAtIndex(FLOAT, i);
                // Written such that NaN is wrong.
                if (!(Math.abs(actual - expected) <= PRECISION * size)) {
                    return Optional.of("a product is " + actual + " instead of " + expected);
                }
            }
            return Optional.empty();
        }
    }

    private static MemorySegment randomBrains(Arena arena, int count, SplittableRandom random) {
        MemorySegment memory = arena.allocate((long) count * Short.BYTES, Float.BYTES);
        for (int i = 0; i < count; i++) {
            float value = (float) random.nextDouble(-1, 1);
            memory.setAtIndex(SHORT, i, (short) (Float.floatToRawIntBits(value) >>> Short.SIZE));
        }
        return memory;
    }

    private static double get(MemorySegment memory, int index) {
        return Float.intBitsToFloat(memory.getAtIndex(SHORT, index) << Short.SIZE);
    }
}
