package dev.stowage.cpu.kernel;

import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Runs a few kernels once, on some numbers, and holds them against plain loops and the reference: one each that adds lanes
 * up, that multiplies and adds, that computes bits of floats as whole numbers, and that widens bytes. A JVM on which lanes
 * are not what kernels take them for shows in these.
 */
public final class KernelCheck {

    /** A number of floats that fills several vectors of any width and leaves a rest. */
    private static final int COUNT = 67;

    private static final int ROWS = 4;

    /** Quantised elements: two blocks. */
    private static final int QUANTISED = 64;

    private static final double PRECISION = 1e-5;

    private final MemorySegment x;
    private final MemorySegment result;
    private Optional<String> wrong = Optional.empty();

    private KernelCheck(Arena arena) {
        SplittableRandom random = new SplittableRandom(1);
        this.x = arena.allocate(ValueLayout.JAVA_FLOAT, (long) ROWS * COUNT);
        this.result = arena.allocate(ValueLayout.JAVA_FLOAT, (long) ROWS * COUNT);
        for (long i = 0; i < (long) ROWS * COUNT; i++) {
            x.setAtIndex(ValueLayout.JAVA_FLOAT, i, random.nextInt(16, 80) / 64f);
        }
    }

    /** The first kernel that computes something else than it should, with both numbers; empty where all are right. */
    public static Optional<String> firstWrong() {
        try (Arena arena = Arena.ofConfined()) {
            KernelCheck check = new KernelCheck(arena);
            check.sums();
            check.products();
            check.exponentials();
            check.quantised();
            return check.wrong;
        }
    }

    private void sums() {
        double sum = 0;
        double squares = 0;
        for (int i = 0; i < COUNT; i++) {
            sum += x(i);
            squares += x(i) * x(i);
        }
        expect("a sum", NormKernels.sum(x.address(), COUNT), sum);
        expect("a sum of squares", NormKernels.sumOfSquares(x.address(), COUNT), squares);
    }

    private void products() {
        DotKernels.floats(x.address(), COUNT * (long) Float.BYTES, x.address(), COUNT, result.address());
        for (int row = 0; row < ROWS; row++) {
            double product = 0;
            for (int i = 0; i < COUNT; i++) {
                product += x(row * COUNT + i) * x(i);
            }
            expect("a dot product", result(row), product);
        }
    }

    private void exponentials() {
        ExpKernels.exp(x.address(), result.address(), COUNT);
        for (int i = 0; i < COUNT; i++) {
            expect("an exponential", result(i), Math.exp(x(i)));
        }
    }

    private void quantised() {
        BlockFormat format = BlockFormat.of(ElementType.Q8_0);
        // The bytes of the random floats will do as whole numbers, with a scale of 1 before each block.
        int bytes = ElementType.Q8_0.bytesPerBlock();
        for (int block = 0; block < QUANTISED / ElementType.Q8_0.blockSize(); block++) {
            x.set(ValueLayout.JAVA_SHORT_UNALIGNED, (long) block * bytes, Float.floatToFloat16(1f));
        }
        float[] expected = new float[QUANTISED];
        format.dequantize(x, 0, expected, 0, QUANTISED);
        RowDecoder.of(ElementType.Q8_0).decode(x.address(), result.address(), QUANTISED);
        for (int i = 0; i < QUANTISED; i++) {
            expect("a decoded q8_0", result(i), expected[i]);
        }
    }

    private double x(int i) {
        return x.getAtIndex(ValueLayout.JAVA_FLOAT, i);
    }

    private double result(int i) {
        return result.getAtIndex(ValueLayout.JAVA_FLOAT, i);
    }

    private void expect(String what, double actual, double expected) {
        // Written such that NaN is wrong.
        if (wrong.isEmpty() && !(Math.abs(actual - expected) <= PRECISION * Math.abs(expected))) {
            wrong = Optional.of(what + " is " + actual + " instead of " + expected);
        }
    }
}
