package dev.stowage.cpu.kernel.math;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LT;

import jdk.incubator.vector.FloatVector;

/**
 * Piecewise linear functions; loops for {@link UnaryLoop}. NaN gives what it gives in the reference.
 */
public final class PiecewiseKernels {

    private PiecewiseKernels() {}

    /** {@code |x|}. */
    public static void abs(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            x.abs().intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code -x}. */
    public static void neg(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            x.neg().intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** -1, 0 or 1 by the sign; NaN gives 0. */
    public static void sgn(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            FloatVector.zero(F)
                    .blend(1f, x.compare(GT, 0f))
                    .blend(-1f, x.compare(LT, 0f))
                    .intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** 1 where {@code x > 0}, else 0. */
    public static void step(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            FloatVector.zero(F).blend(1f, x.compare(GT, 0f)).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code x} where it is positive, else 0, also for NaN. */
    public static void relu(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            FloatVector.zero(F).blend(x, x.compare(GT, 0f)).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code x} where it is positive, {@code x * slope} where it is negative, else 0, also for NaN. */
    public static void leakyRelu(long from, long to, long count, float slope) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            FloatVector negative = FloatVector.zero(F).blend(x.mul(slope), x.compare(LT, 0f));
            negative.blend(x, x.compare(GT, 0f)).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code x} kept between {@code min} and {@code max}; NaN gives {@code max}. */
    public static void clamp(long from, long to, long count, float min, float max) {
        long bytes = count * Float.BYTES;
        FloatVector lower = FloatVector.broadcast(F, min);
        FloatVector upper = FloatVector.broadcast(F, max);
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            FloatVector bounded = upper.blend(x, x.compare(LT, upper));
            lower.blend(bounded, bounded.compare(GT, lower)).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code (x + 3) / 6} kept between 0 and 1; NaN gives 0. */
    public static void hardsigmoid(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            FloatVector line = x.add(3f).div(6f);
            FloatVector kept =
                    FloatVector.zero(F).blend(line, line.compare(GT, 0f)).blend(1f, line.compare(GE, 1f));
            kept.intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code x * hardsigmoid(x)}. */
    public static void hardswish(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            FloatVector line = x.add(3f).div(6f);
            FloatVector kept =
                    FloatVector.zero(F).blend(line, line.compare(GT, 0f)).blend(1f, line.compare(GE, 1f));
            x.mul(kept).intoMemorySegment(ALL, to + at, ORDER);
        }
    }
}
