package dev.stowage.cpu.kernel.sequence;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.LaneSums;
import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.math.ExpKernels;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** The gated delta rule for one token and one head, whose state is a square matrix of floats. */
public final class DeltaNetKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private static final long V = F.vectorByteSize();

    private static final int STEP = F.vectorByteSize();

    private DeltaNetKernels() {}

    /** Writes what the elements of a row decay by: {@code exp(gate)}, of one gate for all or of one for each. */
    public static void decays(long gate, long gates, long to, long size) {
        if (gates == size) {
            ExpKernels.exp(gate, to, size);
            return;
        }
        float decay = ExpKernels.exp(Memory.getFloat(gate));
        for (long i = 0; i < size * 4; i += 4) {
            Memory.setFloat(to + i, decay);
        }
    }

    /**
     * Lets a state decay, corrects what its rows answer to {@code k} by {@code beta} of what they are off from {@code
     * v}, and writes what they answer to {@code q}.
     */
    public static void update(long state, long size, long decay, long k, long q, long v, float beta, long y) {
        float scale = (float) (1 / Math.sqrt((double) size));
        long row = size * 4;
        long whole = row - row % V;
        long done = 0;
        if (whole == row) {
            for (; done + 16 <= row; done += 16) {
                fourRows(state + done * size, row, decay, k, q, v + done, beta, scale, y + done);
            }
        }
        for (long j = done; j < row; j += 4) {
            long s = state + j * size;
            FloatVector sums = FloatVector.zero(F);
            for (long i = 0; i < whole; i += V) {
                FloatVector faded = FloatVector.fromMemorySegment(F, ALL, s + i, ORDER)
                        .mul(FloatVector.fromMemorySegment(F, ALL, decay + i, ORDER));
                sums = faded.fma(FloatVector.fromMemorySegment(F, ALL, k + i, ORDER), sums);
            }
            float answer = LaneSums.of(sums);
            for (long i = whole; i < row; i += 4) {
                answer += Memory.getFloat(s + i) * Memory.getFloat(decay + i) * Memory.getFloat(k + i);
            }
            float missing = beta * (Memory.getFloat(v + j) - answer);
            FloatVector correction = FloatVector.broadcast(F, missing);
            FloatVector out = FloatVector.zero(F);
            for (long i = 0; i < whole; i += V) {
                FloatVector now = FloatVector.fromMemorySegment(F, ALL, s + i, ORDER)
                        .mul(FloatVector.fromMemorySegment(F, ALL, decay + i, ORDER));
                now = correction.fma(FloatVector.fromMemorySegment(F, ALL, k + i, ORDER), now);
                now.intoMemorySegment(ALL, s + i, ORDER);
                out = now.fma(FloatVector.fromMemorySegment(F, ALL, q + i, ORDER), out);
            }
            float sum = LaneSums.of(out);
            for (long i = whole; i < row; i += 4) {
                float now = Memory.getFloat(s + i) * Memory.getFloat(decay + i) + missing * Memory.getFloat(k + i);
                Memory.setFloat(s + i, now);
                sum += now * Memory.getFloat(q + i);
            }
            Memory.setFloat(y + j, sum * scale);
        }
    }

    /** Four rows of {@link #update}, whose sums overlap each other's waits. */
    private static void fourRows(
            long state, long row, long decay, long k, long q, long v, float beta, float scale, long y) {
        // Loops that count in ints: with longs, loops as short as these take several times as long.
        int bytes = (int) row;
        long s1 = state + row;
        long s2 = s1 + row;
        long s3 = s2 + row;
        FloatVector d0 = FloatVector.zero(F);
        FloatVector d1 = d0;
        FloatVector d2 = d0;
        FloatVector d3 = d0;
        for (int i = 0; i < bytes; i += STEP) {
            FloatVector key = FloatVector.fromMemorySegment(F, ALL, k + i, ORDER)
                    .mul(FloatVector.fromMemorySegment(F, ALL, decay + i, ORDER));
            d0 = key.fma(FloatVector.fromMemorySegment(F, ALL, state + i, ORDER), d0);
            d1 = key.fma(FloatVector.fromMemorySegment(F, ALL, s1 + i, ORDER), d1);
            d2 = key.fma(FloatVector.fromMemorySegment(F, ALL, s2 + i, ORDER), d2);
            d3 = key.fma(FloatVector.fromMemorySegment(F, ALL, s3 + i, ORDER), d3);
        }
        float a0 = LaneSums.of(d0);
        float a1 = LaneSums.of(d1);
        float a2 = LaneSums.of(d2);
        float a3 = LaneSums.of(d3);
        FloatVector m0 = FloatVector.broadcast(F, beta * (Memory.getFloat(v) - a0));
        FloatVector m1 = FloatVector.broadcast(F, beta * (Memory.getFloat(v + 4) - a1));
        FloatVector m2 = FloatVector.broadcast(F, beta * (Memory.getFloat(v + 8) - a2));
        FloatVector m3 = FloatVector.broadcast(F, beta * (Memory.getFloat(v + 12) - a3));
        d0 = FloatVector.zero(F);
        d1 = d0;
        d2 = d0;
        d3 = d0;
        for (int i = 0; i < bytes; i += STEP) {
            FloatVector fade = FloatVector.fromMemorySegment(F, ALL, decay + i, ORDER);
            FloatVector key = FloatVector.fromMemorySegment(F, ALL, k + i, ORDER);
            FloatVector asked = FloatVector.fromMemorySegment(F, ALL, q + i, ORDER);
            FloatVector now = m0.fma(
                    key, FloatVector.fromMemorySegment(F, ALL, state + i, ORDER).mul(fade));
            now.intoMemorySegment(ALL, state + i, ORDER);
            d0 = now.fma(asked, d0);
            now = m1.fma(
                    key, FloatVector.fromMemorySegment(F, ALL, s1 + i, ORDER).mul(fade));
            now.intoMemorySegment(ALL, s1 + i, ORDER);
            d1 = now.fma(asked, d1);
            now = m2.fma(
                    key, FloatVector.fromMemorySegment(F, ALL, s2 + i, ORDER).mul(fade));
            now.intoMemorySegment(ALL, s2 + i, ORDER);
            d2 = now.fma(asked, d2);
            now = m3.fma(
                    key, FloatVector.fromMemorySegment(F, ALL, s3 + i, ORDER).mul(fade));
            now.intoMemorySegment(ALL, s3 + i, ORDER);
            d3 = now.fma(asked, d3);
        }
        Memory.setFloat(y, LaneSums.of(d0) * scale);
        Memory.setFloat(y + 4, LaneSums.of(d1) * scale);
        Memory.setFloat(y + 8, LaneSums.of(d2) * scale);
        Memory.setFloat(y + 12, LaneSums.of(d3) * scale);
    }
}
