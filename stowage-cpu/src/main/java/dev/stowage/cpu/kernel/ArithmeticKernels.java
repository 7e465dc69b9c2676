package dev.stowage.cpu.kernel;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import jdk.incubator.vector.FloatVector;

/**
 * Sums, differences, products and quotients of floats, and what is made of these; loops for {@link UnaryLoop} and
 * {@link BinaryLoop}.
 */
public final class ArithmeticKernels {

    private ArithmeticKernels() {}

    /** {@code a + b}. */
    public static void add(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, a + at, ORDER);
            FloatVector y = FloatVector.fromMemorySegment(F, ALL, b + at, ORDER);
            x.add(y).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code a + b} with one {@code b} for all. */
    public static void addOne(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        FloatVector y = FloatVector.broadcast(F, Memory.getFloat(b));
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, a + at, ORDER);
            x.add(y).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code a - b}. */
    public static void sub(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, a + at, ORDER);
            FloatVector y = FloatVector.fromMemorySegment(F, ALL, b + at, ORDER);
            x.sub(y).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code a - b} with one {@code b} for all. */
    public static void subOne(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        FloatVector y = FloatVector.broadcast(F, Memory.getFloat(b));
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, a + at, ORDER);
            x.sub(y).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code a * b}. */
    public static void mul(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, a + at, ORDER);
            FloatVector y = FloatVector.fromMemorySegment(F, ALL, b + at, ORDER);
            x.mul(y).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code a * b} with one {@code b} for all. */
    public static void mulOne(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        FloatVector y = FloatVector.broadcast(F, Memory.getFloat(b));
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, a + at, ORDER);
            x.mul(y).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code a / b}. */
    public static void div(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, a + at, ORDER);
            FloatVector y = FloatVector.fromMemorySegment(F, ALL, b + at, ORDER);
            x.div(y).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code a / b} with one {@code b} for all. */
    public static void divOne(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        FloatVector y = FloatVector.broadcast(F, Memory.getFloat(b));
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, a + at, ORDER);
            x.div(y).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code x * scale + bias}, rounded once. */
    public static void scale(long from, long to, long count, float scale, float bias) {
        long bytes = count * Float.BYTES;
        FloatVector factor = FloatVector.broadcast(F, scale);
        FloatVector term = FloatVector.broadcast(F, bias);
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            x.fma(factor, term).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code x * x}. */
    public static void square(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            x.mul(x).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** The square root. */
    public static void squareRoot(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            x.sqrt().intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** The same number everywhere. */
    public static void fill(long to, long count, float value) {
        long bytes = count * Float.BYTES;
        FloatVector all = FloatVector.broadcast(F, value);
        for (long at = 0; at < bytes; at += F_BYTES) {
            all.intoMemorySegment(ALL, to + at, ORDER);
        }
    }
}
