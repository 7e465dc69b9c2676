package dev.stowage.cpu;

import dev.stowage.cpu.kernel.codec.RowDecoder;
import dev.stowage.cpu.kernel.norm.RowScalingKernels;
import dev.stowage.cpu.kernel.product.DotKernels;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * Runs a few kernels once and compares them with plain loops: one that sums lanes, one that multiplies and adds, and
 * one that widens bytes. They fail on a JVM whose lanes do not have the layout that kernels assume. They are few,
 * because most of the time goes into loading classes of the Vector API.
 */
public final class KernelCheck {

    /** A number of floats that fills several vectors of any width and leaves a rest. */
    private static final int COUNT = 67;

    private static final int ROWS = 4;

    /** Quantised blocks. */
    private static final int BLOCKS = 2;

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
            check.widened();
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
        expect("a sum", RowScalingKernels.sum(x.address(), COUNT), sum);
        expect("a sum of squares", RowScalingKernels.sumOfSquares(x.address(), COUNT), squares);
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

    /** Of q8_0, which is a scale and 32 bytes. */
    private void widened() {
        int bytes = ElementType.Q8_0.bytesPerBlock();
        int size = ElementType.Q8_0.blockSize();
        // The bytes of the floats will do as numbers, and a scale of 1 before each block leaves them as they are.
        for (int block = 0; block < BLOCKS; block++) {
            x.set(ValueLayout.JAVA_SHORT_UNALIGNED, (long) block * bytes, Float.floatToFloat16(1f));
        }
        RowDecoder.of(ElementType.Q8_0).decode(x.address(), result.address(), (long) BLOCKS * size);
        for (int i = 0; i < BLOCKS * size; i++) {
            long at = (long) i / size * bytes + Short.BYTES + i % size;
            expect("a decoded q8_0", result(i), x.get(ValueLayout.JAVA_BYTE, at));
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
