package dev.stowage.reference.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;

/** Numbers to compute with, and how they are compared. */
public final class TestNumbers {

    /** What f32 work may differ by from the same formula in doubles. */
    public static final double FLOAT = 1e-6;

    /** As {@link #FLOAT} for results of f16. */
    public static final double HALF = 1e-3;

    /** As {@link #FLOAT} for results of bf16. */
    public static final double BRAIN = 1e-2;

    private TestNumbers() {}

    /** Numbers around zero that f32, f16 and bf16 all hold exactly: multiples of 1/16 between -8 and 8. */
    public static double[] simple(Random random, int count) {
        return of(count, _ -> (random.nextInt(255) - 127) / 16.0);
    }

    /** The numbers 0, 1, 2 and so on. */
    public static double[] counting(int count) {
        return of(count, i -> i);
    }

    public static double[] of(int count, IntToDoubleFunction number) {
        return IntStream.range(0, count).mapToDouble(number).toArray();
    }

    public static double[] map(double[] values, DoubleUnaryOperator function) {
        return of(values.length, i -> function.applyAsDouble(values[i]));
    }

    /** What q8_0 may change in a block of that largest magnitude: half of one of 127 steps, whose size is an f16. */
    public static double q8Error(double largest) {
        return largest / 127 / 2 + largest * HALF / 2;
    }

    /** As many numbers, equal up to that part of the larger of them and 1; NaN equals NaN. */
    public static void assertClose(double[] actual, double[] expected, double tolerance, String what) {
        assertThat(actual).as(what).hasSameSizeAs(expected);
        for (int i = 0; i < expected.length; i++) {
            boolean same = Double.compare(actual[i], expected[i]) == 0 || actual[i] == expected[i];
            double distance = Math.abs(actual[i] - expected[i]);
            boolean close = distance <= tolerance * Math.max(1, Math.abs(expected[i]));
            assertThat(same || close)
                    .as("%s, element %d: %s instead of %s", what, i, actual[i], expected[i])
                    .isTrue();
        }
    }

    public static void assertClose(double[] actual, double[] expected, double tolerance) {
        assertClose(actual, expected, tolerance, "result");
    }
}
