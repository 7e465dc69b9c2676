package dev.stowage.cpu.kernel.sequence;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.LaneSums;
import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Updates the state of one head, a square matrix of floats, by one token. Where sums run down the columns of the state,
 * some columns stay in registers while the rows go by; where they run along rows, a row is gone over twice.
 */
public final class LinearAttentionKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private static final long V = F.vectorByteSize();

    private static final int STEP = F.vectorByteSize();

    private LinearAttentionKernels() {}

    /** {@code y[j] = sum of r[i] * (first[i] * k[i] * v[j] + s[i, j])}, {@code s = decay[i] * s + k[i] * v[j]}. */
    public static void wkv6(long state, long size, long k, long v, long r, long first, long decay, long y) {
        long row = size * 4;
        long j = 0;
        for (; j + 2 * V <= row; j += 2 * V) {
            FloatVector v0 = FloatVector.fromMemorySegment(F, ALL, v + j, ORDER);
            FloatVector v1 = FloatVector.fromMemorySegment(F, ALL, v + j + V, ORDER);
            FloatVector y0 = FloatVector.zero(F);
            FloatVector y1 = FloatVector.zero(F);
            for (long i = 0; i < row; i += 4) {
                long at = state + i * size + j;
                float ki = Memory.getFloat(k + i);
                float ri = Memory.getFloat(r + i);
                FloatVector now = FloatVector.broadcast(F, Memory.getFloat(first + i) * ki);
                FloatVector key = FloatVector.broadcast(F, ki);
                FloatVector seen = FloatVector.broadcast(F, ri);
                FloatVector fade = FloatVector.broadcast(F, Memory.getFloat(decay + i));
                FloatVector s0 = FloatVector.fromMemorySegment(F, ALL, at, ORDER);
                FloatVector s1 = FloatVector.fromMemorySegment(F, ALL, at + V, ORDER);
                y0 = seen.fma(now.fma(v0, s0), y0);
                y1 = seen.fma(now.fma(v1, s1), y1);
                fade.fma(s0, key.mul(v0)).intoMemorySegment(ALL, at, ORDER);
                fade.fma(s1, key.mul(v1)).intoMemorySegment(ALL, at + V, ORDER);
            }
            y0.intoMemorySegment(ALL, y + j, ORDER);
            y1.intoMemorySegment(ALL, y + j + V, ORDER);
        }
        for (; j < row; j += 4) {
            float vj = Memory.getFloat(v + j);
            float sum = 0;
            for (long i = 0; i < row; i += 4) {
                long at = state + i * size + j;
                float ki = Memory.getFloat(k + i);
                float s = Memory.getFloat(at);
                sum += Memory.getFloat(r + i) * (Memory.getFloat(first + i) * ki * vj + s);
                Memory.setFloat(at, Memory.getFloat(decay + i) * s + ki * vj);
            }
            Memory.setFloat(y + j, sum);
        }
    }

    /** {@code s = gate[i] * s + k[i] * v[j]}, {@code y[j] = sum of scale * q[i] * s[i, j]}. */
    public static void linearAttention(long state, long size, long k, long v, long q, long gate, float scale, long y) {
        long row = size * 4;
        long j = 0;
        for (; j + 2 * V <= row; j += 2 * V) {
            FloatVector v0 = FloatVector.fromMemorySegment(F, ALL, v + j, ORDER);
            FloatVector v1 = FloatVector.fromMemorySegment(F, ALL, v + j + V, ORDER);
            FloatVector y0 = FloatVector.zero(F);
            FloatVector y1 = FloatVector.zero(F);
            for (long i = 0; i < row; i += 4) {
                long at = state + i * size + j;
                FloatVector key = FloatVector.broadcast(F, Memory.getFloat(k + i));
                FloatVector asked = FloatVector.broadcast(F, Memory.getFloat(q + i) * scale);
                FloatVector fade = FloatVector.broadcast(F, Memory.getFloat(gate + i));
                FloatVector s0 = fade.fma(FloatVector.fromMemorySegment(F, ALL, at, ORDER), key.mul(v0));
                FloatVector s1 = fade.fma(FloatVector.fromMemorySegment(F, ALL, at + V, ORDER), key.mul(v1));
                y0 = asked.fma(s0, y0);
                y1 = asked.fma(s1, y1);
                s0.intoMemorySegment(ALL, at, ORDER);
                s1.intoMemorySegment(ALL, at + V, ORDER);
            }
            y0.intoMemorySegment(ALL, y + j, ORDER);
            y1.intoMemorySegment(ALL, y + j + V, ORDER);
        }
        for (; j < row; j += 4) {
            float vj = Memory.getFloat(v + j);
            float sum = 0;
            for (long i = 0; i < row; i += 4) {
                long at = state + i * size + j;
                float s = Memory.getFloat(gate + i) * Memory.getFloat(at) + Memory.getFloat(k + i) * vj;
                Memory.setFloat(at, s);
                sum += Memory.getFloat(q + i) * scale * s;
            }
            Memory.setFloat(y + j, sum);
        }
    }

    /** {@code s = s * w[j] + v[i] * k[j] + dot(a, row of s) * b[j]}, then {@code y[i] = dot(r, row of s)}. */
    public static void wkv7(long state, long size, long r, long w, long k, long v, long a, long b, long y) {
        long row = size * 4;
        long whole = row - row % V;
        long done = 0;
        if (whole == row) {
            for (; done + 16 <= row; done += 16) {
                fourRows(state + done * size, row, r, w, k, v + done, a, b, y + done);
            }
        }
        for (long i = done; i < row; i += 4) {
            long s = state + i * size;
            float seen = dot(a, s, size);
            float vi = Memory.getFloat(v + i);
            FloatVector value = FloatVector.broadcast(F, vi);
            FloatVector answer = FloatVector.broadcast(F, seen);
            FloatVector sums = FloatVector.zero(F);
            for (long j = 0; j < whole; j += V) {
                FloatVector fade = FloatVector.fromMemorySegment(F, ALL, w + j, ORDER);
                FloatVector key = FloatVector.fromMemorySegment(F, ALL, k + j, ORDER);
                FloatVector back = FloatVector.fromMemorySegment(F, ALL, b + j, ORDER);
                FloatVector now =
                        FloatVector.fromMemorySegment(F, ALL, s + j, ORDER).fma(fade, value.fma(key, answer.mul(back)));
                now.intoMemorySegment(ALL, s + j, ORDER);
                sums = now.fma(FloatVector.fromMemorySegment(F, ALL, r + j, ORDER), sums);
            }
            float sum = LaneSums.of(sums);
            for (long j = whole; j < row; j += 4) {
                float now = Memory.getFloat(s + j) * Memory.getFloat(w + j)
                        + (vi * Memory.getFloat(k + j) + seen * Memory.getFloat(b + j));
                Memory.setFloat(s + j, now);
                sum += now * Memory.getFloat(r + j);
            }
            Memory.setFloat(y + i, sum);
        }
    }

    /** Four rows of {@link #wkv7}, whose sums overlap each other's waits. */
    private static void fourRows(long state, long row, long r, long w, long k, long v, long a, long b, long y) {
        // Loops that count in ints: with longs, loops as short as these take several times as long.
        int bytes = (int) row;
        long s1 = state + row;
        long s2 = s1 + row;
        long s3 = s2 + row;
        FloatVector d0 = FloatVector.zero(F);
        FloatVector d1 = d0;
        FloatVector d2 = d0;
        FloatVector d3 = d0;
        for (int j = 0; j < bytes; j += STEP) {
            FloatVector asked = FloatVector.fromMemorySegment(F, ALL, a + j, ORDER);
            d0 = asked.fma(FloatVector.fromMemorySegment(F, ALL, state + j, ORDER), d0);
            d1 = asked.fma(FloatVector.fromMemorySegment(F, ALL, s1 + j, ORDER), d1);
            d2 = asked.fma(FloatVector.fromMemorySegment(F, ALL, s2 + j, ORDER), d2);
            d3 = asked.fma(FloatVector.fromMemorySegment(F, ALL, s3 + j, ORDER), d3);
        }
        FloatVector a0 = FloatVector.broadcast(F, LaneSums.of(d0));
        FloatVector a1 = FloatVector.broadcast(F, LaneSums.of(d1));
        FloatVector a2 = FloatVector.broadcast(F, LaneSums.of(d2));
        FloatVector a3 = FloatVector.broadcast(F, LaneSums.of(d3));
        FloatVector v0 = FloatVector.broadcast(F, Memory.getFloat(v));
        FloatVector v1 = FloatVector.broadcast(F, Memory.getFloat(v + 4));
        FloatVector v2 = FloatVector.broadcast(F, Memory.getFloat(v + 8));
        FloatVector v3 = FloatVector.broadcast(F, Memory.getFloat(v + 12));
        d0 = FloatVector.zero(F);
        d1 = d0;
        d2 = d0;
        d3 = d0;
        for (int j = 0; j < bytes; j += STEP) {
            FloatVector fade = FloatVector.fromMemorySegment(F, ALL, w + j, ORDER);
            FloatVector key = FloatVector.fromMemorySegment(F, ALL, k + j, ORDER);
            FloatVector back = FloatVector.fromMemorySegment(F, ALL, b + j, ORDER);
            FloatVector read = FloatVector.fromMemorySegment(F, ALL, r + j, ORDER);
            FloatVector now =
                    FloatVector.fromMemorySegment(F, ALL, state + j, ORDER).fma(fade, v0.fma(key, a0.mul(back)));
            now.intoMemorySegment(ALL, state + j, ORDER);
            d0 = now.fma(read, d0);
            now = FloatVector.fromMemorySegment(F, ALL, s1 + j, ORDER).fma(fade, v1.fma(key, a1.mul(back)));
            now.intoMemorySegment(ALL, s1 + j, ORDER);
            d1 = now.fma(read, d1);
            now = FloatVector.fromMemorySegment(F, ALL, s2 + j, ORDER).fma(fade, v2.fma(key, a2.mul(back)));
            now.intoMemorySegment(ALL, s2 + j, ORDER);
            d2 = now.fma(read, d2);
            now = FloatVector.fromMemorySegment(F, ALL, s3 + j, ORDER).fma(fade, v3.fma(key, a3.mul(back)));
            now.intoMemorySegment(ALL, s3 + j, ORDER);
            d3 = now.fma(read, d3);
        }
        Memory.setFloat(y, LaneSums.of(d0));
        Memory.setFloat(y + 4, LaneSums.of(d1));
        Memory.setFloat(y + 8, LaneSums.of(d2));
        Memory.setFloat(y + 12, LaneSums.of(d3));
    }

    /** {@code sum(a[i] * b[i])} of short rows. */
    static float dot(long a, long b, long count) {
        long bytes = count * 4;
        long i = 0;
        FloatVector sum0 = FloatVector.zero(F);
        FloatVector sum1 = FloatVector.zero(F);
        for (; i + 2 * V <= bytes; i += 2 * V) {
            sum0 = FloatVector.fromMemorySegment(F, ALL, a + i, ORDER)
                    .fma(FloatVector.fromMemorySegment(F, ALL, b + i, ORDER), sum0);
            sum1 = FloatVector.fromMemorySegment(F, ALL, a + i + V, ORDER)
                    .fma(FloatVector.fromMemorySegment(F, ALL, b + i + V, ORDER), sum1);
        }
        float sum = LaneSums.of(sum0.add(sum1));
        for (; i < bytes; i += 4) {
            sum += Memory.getFloat(a + i) * Memory.getFloat(b + i);
        }
        return sum;
    }
}
