package dev.stowage.cpu.kernel.math;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;

/**
 * Sums, differences, products and quotients of floats, and functions composed of them; loops for {@link UnaryLoop} and
 * {@link BinaryLoop}. Rows may be short, and the loops are such that beginning one costs little, see {@link
 * Memory#ADDRESS}.
 */
public final class ArithmeticKernels {

    private ArithmeticKernels() {}

    /** {@code a + b}. */
    public static void add(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (a + at) & ADDRESS, ORDER);
            FloatVector y = FloatVector.fromMemorySegment(F, ALL, (b + at) & ADDRESS, ORDER);
            x.add(y).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code a + b} with one {@code b} for all. */
    public static void addOne(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        FloatVector y = FloatVector.broadcast(F, Memory.getFloat(b));
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (a + at) & ADDRESS, ORDER);
            x.add(y).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code a - b}. */
    public static void sub(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (a + at) & ADDRESS, ORDER);
            FloatVector y = FloatVector.fromMemorySegment(F, ALL, (b + at) & ADDRESS, ORDER);
            x.sub(y).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code a - b} with one {@code b} for all. */
    public static void subOne(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        FloatVector y = FloatVector.broadcast(F, Memory.getFloat(b));
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (a + at) & ADDRESS, ORDER);
            x.sub(y).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code a * b}. */
    public static void mul(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (a + at) & ADDRESS, ORDER);
            FloatVector y = FloatVector.fromMemorySegment(F, ALL, (b + at) & ADDRESS, ORDER);
            x.mul(y).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code a * b} with one {@code b} for all. */
    public static void mulOne(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        FloatVector y = FloatVector.broadcast(F, Memory.getFloat(b));
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (a + at) & ADDRESS, ORDER);
            x.mul(y).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code a / b}. */
    public static void div(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (a + at) & ADDRESS, ORDER);
            FloatVector y = FloatVector.fromMemorySegment(F, ALL, (b + at) & ADDRESS, ORDER);
            x.div(y).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code a / b} with one {@code b} for all. */
    public static void divOne(long a, long b, long to, long count) {
        long bytes = count * Float.BYTES;
        FloatVector y = FloatVector.broadcast(F, Memory.getFloat(b));
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (a + at) & ADDRESS, ORDER);
            x.div(y).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code x * scale + bias}, rounded once. */
    public static void scale(long from, long to, long count, float scale, float bias) {
        long bytes = count * Float.BYTES;
        FloatVector factor = FloatVector.broadcast(F, scale);
        FloatVector term = FloatVector.broadcast(F, bias);
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (from + at) & ADDRESS, ORDER);
            x.fma(factor, term).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** {@code x * x}. */
    public static void square(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (from + at) & ADDRESS, ORDER);
            x.mul(x).intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** The square root. */
    public static void squareRoot(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at != bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, (from + at) & ADDRESS, ORDER);
            x.sqrt().intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }

    /** The same number everywhere. */
    public static void fill(long to, long count, float value) {
        long bytes = count * Float.BYTES;
        FloatVector all = FloatVector.broadcast(F, value);
        for (long at = 0; at != bytes; at += F_BYTES) {
            all.intoMemorySegment(ALL, (to + at) & ADDRESS, ORDER);
        }
    }
}
