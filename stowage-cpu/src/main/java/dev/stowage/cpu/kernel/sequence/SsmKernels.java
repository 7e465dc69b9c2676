package dev.stowage.cpu.kernel.sequence;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static dev.stowage.cpu.kernel.math.ExpKernels.C2;
import static dev.stowage.cpu.kernel.math.ExpKernels.C3;
import static dev.stowage.cpu.kernel.math.ExpKernels.C4;
import static dev.stowage.cpu.kernel.math.ExpKernels.C5;
import static dev.stowage.cpu.kernel.math.ExpKernels.EXPONENT_SHIFT;
import static dev.stowage.cpu.kernel.math.ExpKernels.HIGHEST;
import static dev.stowage.cpu.kernel.math.ExpKernels.LOG2_E;
import static dev.stowage.cpu.kernel.math.ExpKernels.LOWEST;
import static dev.stowage.cpu.kernel.math.ExpKernels.MINUS_LN2_HIGH;
import static dev.stowage.cpu.kernel.math.ExpKernels.MINUS_LN2_LOW;
import static dev.stowage.cpu.kernel.math.ExpKernels.ROUND;

import dev.stowage.cpu.kernel.LaneSums;
import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.math.ExpKernels;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** State space layers: the short convolution before them, and the scan that carries a state from token to token. */
public final class SsmKernels {

    /** Rows of the convolution that are computed together. */
    public static final int BLOCK = 16;

    /** Tokens that are computed together. */
    private static final int TOKENS = 64;

    /** What a block takes. */
    public static final long BLOCK_BYTES = 4L * BLOCK * TOKENS;

    /** What models have: written out, as a loop this short costs more than what is in it. */
    private static final int USUAL_TAPS = 4;

    /** Above this ggml takes the softplus of a number for the number itself. */
    private static final float LINEAR = 20;

    /** Below this the logarithm would lose digits, and three terms of its series are exact. */
    private static final double SERIES = 1e-4;

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private static final long V = F.vectorByteSize();

    /** The same as an int, for short loops, which take several times as long when they count in longs. */
    private static final int STEP = F.vectorByteSize();

    private SsmKernels() {}

    /** Convolves some rows along all tokens and writes them as columns. */
    public static void convolve(
            long data,
            long dataStride,
            long kernel,
            long kernelStride,
            int taps,
            int rows,
            long tokens,
            long result,
            long resultStride,
            long block) {
        if (tokens < F.length()) {
            for (long token = 0; token < tokens; token++) {
                for (int row = 0; row < rows; row++) {
                    float sum = dot(data + row * dataStride + token * 4, kernel + row * kernelStride, taps);
                    Memory.setFloat(result + token * resultStride + row * 4L, sum);
                }
            }
            return;
        }
        for (long token = 0; token < tokens; token += TOKENS) {
            int count = (int) Math.min(TOKENS, tokens - token);
            for (int row = 0; row < rows; row++) {
                alongTokens(
                        data + row * dataStride + token * 4,
                        kernel + row * kernelStride,
                        taps,
                        count,
                        block + row * 4L * TOKENS);
            }
            for (int i = 0; i < count; i++) {
                long to = result + (token + i) * resultStride;
                for (int row = 0; row < rows; row++) {
                    Memory.setFloat(to + row * 4L, Memory.getFloat(block + row * 4L * TOKENS + i * 4L));
                }
            }
        }
    }

    private static float dot(long data, long kernel, int taps) {
        if (taps == USUAL_TAPS) {
            return Memory.getFloat(data) * Memory.getFloat(kernel)
                    + Memory.getFloat(data + 4) * Memory.getFloat(kernel + 4)
                    + Memory.getFloat(data + 8) * Memory.getFloat(kernel + 8)
                    + Memory.getFloat(data + 12) * Memory.getFloat(kernel + 12);
        }
        float sum = 0;
        for (int k = 0; k < taps; k++) {
            sum += Memory.getFloat(data + k * 4L) * Memory.getFloat(kernel + k * 4L);
        }
        return sum;
    }

    private static void alongTokens(long data, long kernel, int taps, int tokens, long to) {
        long bytes = tokens * 4L;
        long at = 0;
        for (; at + V <= bytes; at += V) {
            FloatVector sum = FloatVector.zero(F);
            for (int k = 0; k < taps; k++) {
                FloatVector tap = FloatVector.broadcast(F, Memory.getFloat(kernel + k * 4L));
                sum = tap.fma(FloatVector.fromMemorySegment(F, ALL, data + at + k * 4L, ORDER), sum);
            }
            sum.intoMemorySegment(ALL, to + at, ORDER);
        }
        for (; at < bytes; at += 4) {
            Memory.setFloat(to + at, dot(data + at, kernel, taps));
        }
    }

    /** The length of a step, {@code log(1 + exp(x))}. */
    public static float softplus(float x) {
        if (x > LINEAR) {
            return x;
        }
        double e = Math.exp(x);
        return (float) (e < SERIES ? e - e * e / 2 + e * e * e / 3 : Math.log(1 + e));
    }

    /**
     * One token with one decay for all of a head: {@code s[i, n] = decay * s[i, n] + dt * x[i] * b[n]} and
     * {@code y[i] = dot(s[i], c)}.
     */
    public static void scan(long state, long rows, long size, float decay, float dt, long x, long b, long c, long y) {
        FloatVector fade = FloatVector.broadcast(F, decay);
        int bytes = (int) size * 4;
        for (long i = 0; i < rows; i++) {
            float in = dt * Memory.getFloat(x + i * 4);
            FloatVector taken = FloatVector.broadcast(F, in);
            FloatVector sums = FloatVector.zero(F);
            FloatVector more = FloatVector.zero(F);
            long s = state + i * size * 4;
            int n = 0;
            for (; n + 2 * STEP <= bytes; n += 2 * STEP) {
                FloatVector s0 = fade.fma(
                        FloatVector.fromMemorySegment(F, ALL, s + n, ORDER),
                        taken.mul(FloatVector.fromMemorySegment(F, ALL, b + n, ORDER)));
                FloatVector s1 = fade.fma(
                        FloatVector.fromMemorySegment(F, ALL, s + n + V, ORDER),
                        taken.mul(FloatVector.fromMemorySegment(F, ALL, b + n + V, ORDER)));
                s0.intoMemorySegment(ALL, s + n, ORDER);
                s1.intoMemorySegment(ALL, s + n + V, ORDER);
                sums = s0.fma(FloatVector.fromMemorySegment(F, ALL, c + n, ORDER), sums);
                more = s1.fma(FloatVector.fromMemorySegment(F, ALL, c + n + V, ORDER), more);
            }
            float sum = LaneSums.of(sums.add(more));
            for (; n < bytes; n += 4) {
                float now = decay * Memory.getFloat(s + n) + in * Memory.getFloat(b + n);
                Memory.setFloat(s + n, now);
                sum += now * Memory.getFloat(c + n);
            }
            Memory.setFloat(y + i * 4, sum);
        }
    }

    /** {@link #scan} with a decay {@code exp(dt * a[n])} for each element of a row. */
    public static void scanEach(long state, long rows, long size, long a, float dt, long x, long b, long c, long y) {
        FloatVector step = FloatVector.broadcast(F, dt);
        long bytes = size * 4;
        for (long i = 0; i < rows; i++) {
            float in = dt * Memory.getFloat(x + i * 4);
            FloatVector taken = FloatVector.broadcast(F, in);
            FloatVector sums = FloatVector.zero(F);
            long s = state + i * bytes;
            long n = 0;
            for (; n + V <= bytes; n += V) {
                FloatVector power = step.mul(FloatVector.fromMemorySegment(F, ALL, a + n, ORDER));
                FloatVector z = power.fma(FloatVector.broadcast(F, LOG2_E), FloatVector.broadcast(F, ROUND));
                FloatVector k = z.sub(ROUND);
                FloatVector rest = k.fma(
                        FloatVector.broadcast(F, MINUS_LN2_LOW),
                        k.fma(FloatVector.broadcast(F, MINUS_LN2_HIGH), power));
                FloatVector one = FloatVector.broadcast(F, 1f);
                FloatVector e = FloatVector.broadcast(F, C5)
                        .fma(rest, FloatVector.broadcast(F, C4))
                        .fma(rest, FloatVector.broadcast(F, C3))
                        .fma(rest, FloatVector.broadcast(F, C2))
                        .fma(rest, one)
                        .fma(rest, one);
                e = e.reinterpretAsInts()
                        .add(z.reinterpretAsInts().lanewise(VectorOperators.LSHL, EXPONENT_SHIFT))
                        .reinterpretAsFloats();
                e = e.blend(0f, power.compare(VectorOperators.LT, LOWEST));
                FloatVector decay =
                        power.add(Float.POSITIVE_INFINITY).blend(e, power.compare(VectorOperators.LE, HIGHEST));
                FloatVector now = decay.fma(
                        FloatVector.fromMemorySegment(F, ALL, s + n, ORDER),
                        taken.mul(FloatVector.fromMemorySegment(F, ALL, b + n, ORDER)));
                now.intoMemorySegment(ALL, s + n, ORDER);
                sums = now.fma(FloatVector.fromMemorySegment(F, ALL, c + n, ORDER), sums);
            }
            float sum = LaneSums.of(sums);
            for (; n < bytes; n += 4) {
                float decay = ExpKernels.exp(dt * Memory.getFloat(a + n));
                float now = decay * Memory.getFloat(s + n) + in * Memory.getFloat(b + n);
                Memory.setFloat(s + n, now);
                sum += now * Memory.getFloat(c + n);
            }
            Memory.setFloat(y + i * 4, sum);
        }
    }
}
