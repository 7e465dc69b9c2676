package dev.stowage.cpu.kernel.norm;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.LaneSums;
import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Sums over a row of floats, and the row scaled by a factor: the two steps of a normalisation. Sums use four
 * accumulators; the caller checks them, as squares of numbers far from 1 can overflow, and falls back to {@link
 * PreciseNorms} then.
 */
public final class RowScalingKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;
    private static final Class<? extends Vector<Float>> TYPE = F.vectorType();
    private static final int STEP = F.vectorByteSize();
    private static final int TWO = 2 * STEP;
    private static final int THREE = 3 * STEP;
    private static final int FOUR = 4 * STEP;

    private RowScalingKernels() {}

    /** The sum of {@code n} floats. */
    public static float sum(long from, long n) {
        FloatVector s0 = FloatVector.zero(F);
        FloatVector s1 = FloatVector.zero(F);
        FloatVector s2 = FloatVector.zero(F);
        FloatVector s3 = FloatVector.zero(F);
        long end = from + (n << 2);
        long at = from;
        for (; at <= end - FOUR; at += FOUR) {
            s0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER).add(s0);
            s1 = FloatVector.fromMemorySegment(F, ALL, at + STEP, ORDER).add(s1);
            s2 = FloatVector.fromMemorySegment(F, ALL, at + TWO, ORDER).add(s2);
            s3 = FloatVector.fromMemorySegment(F, ALL, at + THREE, ORDER).add(s3);
        }
        for (; at <= end - STEP; at += STEP) {
            s0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER).add(s0);
        }
        float rest = 0;
        for (; at < end; at += Float.BYTES) {
            rest += Memory.getFloat(at);
        }
        return LaneSums.of(((FloatVector) TYPE.cast(s0)).add(s1).add(s2).add(s3)) + rest;
    }

    /** The sum of the squares of {@code n} floats. */
    public static float sumOfSquares(long from, long n) {
        FloatVector s0 = FloatVector.zero(F);
        FloatVector s1 = FloatVector.zero(F);
        FloatVector s2 = FloatVector.zero(F);
        FloatVector s3 = FloatVector.zero(F);
        long end = from + (n << 2);
        long at = from;
        for (; at <= end - FOUR; at += FOUR) {
            FloatVector x0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER);
            FloatVector x1 = FloatVector.fromMemorySegment(F, ALL, at + STEP, ORDER);
            FloatVector x2 = FloatVector.fromMemorySegment(F, ALL, at + TWO, ORDER);
            FloatVector x3 = FloatVector.fromMemorySegment(F, ALL, at + THREE, ORDER);
            s0 = x0.fma(x0, s0);
            s1 = x1.fma(x1, s1);
            s2 = x2.fma(x2, s2);
            s3 = x3.fma(x3, s3);
        }
        for (; at <= end - STEP; at += STEP) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, at, ORDER);
            s0 = x.fma(x, s0);
        }
        float rest = 0;
        for (; at < end; at += Float.BYTES) {
            float x = Memory.getFloat(at);
            rest += x * x;
        }
        return LaneSums.of(((FloatVector) TYPE.cast(s0)).add(s1).add(s2).add(s3)) + rest;
    }

    /**
     * Writes {@code a + b} to {@code to} and gives the sum of the squares of that: the very number that {@link #sumOfSquares}
     * gives for it, so that what is fused does not differ from what is not.
     */
    public static float addAndSquare(long a, long b, long to, long n) {
        FloatVector s0 = FloatVector.zero(F);
        FloatVector s1 = FloatVector.zero(F);
        FloatVector s2 = FloatVector.zero(F);
        FloatVector s3 = FloatVector.zero(F);
        long bytes = n << 2;
        long at = 0;
        for (; at <= bytes - FOUR; at += FOUR) {
            FloatVector x0 = FloatVector.fromMemorySegment(F, ALL, a + at, ORDER)
                    .add(FloatVector.fromMemorySegment(F, ALL, b + at, ORDER));
            FloatVector x1 = FloatVector.fromMemorySegment(F, ALL, a + at + STEP, ORDER)
                    .add(FloatVector.fromMemorySegment(F, ALL, b + at + STEP, ORDER));
            FloatVector x2 = FloatVector.fromMemorySegment(F, ALL, a + at + TWO, ORDER)
                    .add(FloatVector.fromMemorySegment(F, ALL, b + at + TWO, ORDER));
            FloatVector x3 = FloatVector.fromMemorySegment(F, ALL, a + at + THREE, ORDER)
                    .add(FloatVector.fromMemorySegment(F, ALL, b + at + THREE, ORDER));
            x0.intoMemorySegment(ALL, to + at, ORDER);
            x1.intoMemorySegment(ALL, to + at + STEP, ORDER);
            x2.intoMemorySegment(ALL, to + at + TWO, ORDER);
            x3.intoMemorySegment(ALL, to + at + THREE, ORDER);
            s0 = x0.fma(x0, s0);
            s1 = x1.fma(x1, s1);
            s2 = x2.fma(x2, s2);
            s3 = x3.fma(x3, s3);
        }
        for (; at <= bytes - STEP; at += STEP) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, a + at, ORDER)
                    .add(FloatVector.fromMemorySegment(F, ALL, b + at, ORDER));
            x.intoMemorySegment(ALL, to + at, ORDER);
            s0 = x.fma(x, s0);
        }
        float rest = 0;
        for (; at < bytes; at += Float.BYTES) {
            float x = Memory.getFloat(a + at) + Memory.getFloat(b + at);
            Memory.setFloat(to + at, x);
            rest += x * x;
        }
        return LaneSums.of(((FloatVector) TYPE.cast(s0)).add(s1).add(s2).add(s3)) + rest;
    }

    /** Writes {@code x - off} of {@code n} floats and gives the sum of that. */
    public static float shift(long from, long to, long n, float off) {
        FloatVector s0 = FloatVector.zero(F);
        FloatVector s1 = FloatVector.zero(F);
        FloatVector offset = FloatVector.broadcast(F, off);
        long bytes = n << 2;
        long at = 0;
        for (; at <= bytes - TWO; at += TWO) {
            FloatVector x0 =
                    FloatVector.fromMemorySegment(F, ALL, from + at, ORDER).sub(offset);
            FloatVector x1 = FloatVector.fromMemorySegment(F, ALL, from + at + STEP, ORDER)
                    .sub(offset);
            x0.intoMemorySegment(ALL, to + at, ORDER);
            x1.intoMemorySegment(ALL, to + at + STEP, ORDER);
            s0 = x0.add(s0);
            s1 = x1.add(s1);
        }
        float rest = 0;
        for (; at < bytes; at += Float.BYTES) {
            float x = Memory.getFloat(from + at) - off;
            Memory.setFloat(to + at, x);
            rest += x;
        }
        return LaneSums.of(((FloatVector) TYPE.cast(s0)).add(s1)) + rest;
    }

    /** Writes {@code x * factor + summand} of {@code n} floats. */
    public static void scale(long from, long to, long n, float factor, float summand) {
        FloatVector factors = FloatVector.broadcast(F, factor);
        FloatVector summands = FloatVector.broadcast(F, summand);
        long bytes = n << 2;
        long at = 0;
        for (; at <= bytes - STEP; at += STEP) {
            FloatVector.fromMemorySegment(F, ALL, from + at, ORDER)
                    .fma(factors, summands)
                    .intoMemorySegment(ALL, to + at, ORDER);
        }
        for (; at < bytes; at += Float.BYTES) {
            Memory.setFloat(to + at, Math.fma(Memory.getFloat(from + at), factor, summand));
        }
    }

    /** Writes {@code x * factor} of {@code n} floats. */
    public static void scale(long from, long to, long n, float factor) {
        FloatVector factors = FloatVector.broadcast(F, factor);
        long bytes = n << 2;
        long at = 0;
        for (; at <= bytes - STEP; at += STEP) {
            FloatVector.fromMemorySegment(F, ALL, from + at, ORDER).mul(factors).intoMemorySegment(ALL, to + at, ORDER);
        }
        for (; at < bytes; at += Float.BYTES) {
            Memory.setFloat(to + at, Memory.getFloat(from + at) * factor);
        }
    }

    /** Writes {@code x * factor * weight} of {@code n} floats and as many weights. */
    public static void scaleAndWeigh(long from, long weights, long to, long n, float factor) {
        FloatVector factors = FloatVector.broadcast(F, factor);
        long bytes = n << 2;
        long at = 0;
        for (; at <= bytes - STEP; at += STEP) {
            FloatVector.fromMemorySegment(F, ALL, from + at, ORDER)
                    .mul(factors)
                    .mul(FloatVector.fromMemorySegment(F, ALL, weights + at, ORDER))
                    .intoMemorySegment(ALL, to + at, ORDER);
        }
        for (; at < bytes; at += Float.BYTES) {
            Memory.setFloat(to + at, Memory.getFloat(from + at) * factor * Memory.getFloat(weights + at));
        }
    }
}
