package dev.stowage.cpu.kernel.product;

import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/** Equations with a lower triangular matrix of floats. */
public final class TriangularSolveKernels {

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;

    private static final long V = F.vectorByteSize();

    /** Columns of unknowns that are solved for together. */
    public static final long COLUMNS = 4L * F.length();

    private TriangularSolveKernels() {}

    /** Solves for up to {@link #COLUMNS} columns; {@code x} may be at the address of {@code b}. */
    public static void solve(
            long a, long aStride, long b, long bStride, long x, long xStride, long size, long columns) {
        if (columns == COLUMNS) {
            solveBlock(a, aStride, b, bStride, x, xStride, size);
            return;
        }
        long column = 0;
        for (; column + F.length() <= columns; column += F.length()) {
            solveVector(a, aStride, b + column * 4, bStride, x + column * 4, xStride, size);
        }
        for (; column < columns; column++) {
            solveOne(a, aStride, b + column * 4, bStride, x + column * 4, xStride, size);
        }
    }

    private static void solveBlock(long a, long aStride, long b, long bStride, long x, long xStride, long size) {
        for (long row = 0; row < size; row++) {
            long line = a + row * aStride;
            FloatVector k0 = FloatVector.zero(F);
            FloatVector k1 = FloatVector.zero(F);
            FloatVector k2 = FloatVector.zero(F);
            FloatVector k3 = FloatVector.zero(F);
            for (long i = 0; i < row; i++) {
                FloatVector factor = FloatVector.broadcast(F, Memory.getFloat(line + i * 4));
                long known = x + i * xStride;
                k0 = factor.fma(FloatVector.fromMemorySegment(F, ALL, known, ORDER), k0);
                k1 = factor.fma(FloatVector.fromMemorySegment(F, ALL, known + V, ORDER), k1);
                k2 = factor.fma(FloatVector.fromMemorySegment(F, ALL, known + 2 * V, ORDER), k2);
                k3 = factor.fma(FloatVector.fromMemorySegment(F, ALL, known + 3 * V, ORDER), k3);
            }
            FloatVector diagonal = FloatVector.broadcast(F, Memory.getFloat(line + row * 4));
            long from = b + row * bStride;
            long to = x + row * xStride;
            FloatVector.fromMemorySegment(F, ALL, from, ORDER)
                    .sub(k0)
                    .div(diagonal)
                    .intoMemorySegment(ALL, to, ORDER);
            FloatVector.fromMemorySegment(F, ALL, from + V, ORDER)
                    .sub(k1)
                    .div(diagonal)
                    .intoMemorySegment(ALL, to + V, ORDER);
            FloatVector.fromMemorySegment(F, ALL, from + 2 * V, ORDER)
                    .sub(k2)
                    .div(diagonal)
                    .intoMemorySegment(ALL, to + 2 * V, ORDER);
            FloatVector.fromMemorySegment(F, ALL, from + 3 * V, ORDER)
                    .sub(k3)
                    .div(diagonal)
                    .intoMemorySegment(ALL, to + 3 * V, ORDER);
        }
    }

    private static void solveVector(long a, long aStride, long b, long bStride, long x, long xStride, long size) {
        for (long row = 0; row < size; row++) {
            long line = a + row * aStride;
            FloatVector known = FloatVector.zero(F);
            for (long i = 0; i < row; i++) {
                known = FloatVector.broadcast(F, Memory.getFloat(line + i * 4))
                        .fma(FloatVector.fromMemorySegment(F, ALL, x + i * xStride, ORDER), known);
            }
            FloatVector.fromMemorySegment(F, ALL, b + row * bStride, ORDER)
                    .sub(known)
                    .div(Memory.getFloat(line + row * 4))
                    .intoMemorySegment(ALL, x + row * xStride, ORDER);
        }
    }

    private static void solveOne(long a, long aStride, long b, long bStride, long x, long xStride, long size) {
        for (long row = 0; row < size; row++) {
            long line = a + row * aStride;
            float known = 0;
            for (long i = 0; i < row; i++) {
                known = Math.fma(Memory.getFloat(line + i * 4), Memory.getFloat(x + i * xStride), known);
            }
            float value = (Memory.getFloat(b + row * bStride) - known) / Memory.getFloat(line + row * 4);
            Memory.setFloat(x + row * xStride, value);
        }
    }
}
