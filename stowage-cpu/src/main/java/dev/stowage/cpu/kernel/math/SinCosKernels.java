package dev.stowage.cpu.kernel.math;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.NE;
import static jdk.incubator.vector.VectorOperators.XOR;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Sine and cosine; loops for {@link UnaryLoop}. The angle is reduced to between -π/4 and π/4 by subtracting {@code k}
 * times π/2, with π/2 in three parts so that no precision is lost (Cody-Waite); there two polynomials give sine and
 * cosine, and the last two bits of {@code k} select one of them and the sign. Vectors with an angle so large that a
 * float does not hold {@code k} go element by element.
 */
public final class SinCosKernels {

    /** The largest angle whose multiples of π/2 are few enough. */
    private static final float FAR = 100_000f;

    private static final float TWO_OVER_PI = 0x1.45f306p-1f;

    private static final float ROUND = ExpKernels.ROUND;

    private static final float MINUS_QUARTER_HIGH = -0x1.921fb6p0f;
    private static final float MINUS_QUARTER_MIDDLE = 0x1.777a5cp-25f;
    private static final float MINUS_QUARTER_LOW = 0x1.ee59dap-50f;

    // sin r = r + r³ * (S0 + S1 * r² + ...) and cos r = 1 - r²/2 + r⁴ * (C0 + C1 * r² + ...), to 6e-9 and 5e-10.
    private static final float S0 = -0x1.555546p-3f;
    private static final float S1 = 0x1.110756p-7f;
    private static final float S2 = -0x1.994b3ep-13f;
    private static final float C0 = 0x1.55554ap-5f;
    private static final float C1 = -0x1.6c0c82p-10f;
    private static final float C2 = 0x1.99ff3ep-16f;

    private SinCosKernels() {}

    /** The sine. */
    public static void sin(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            if (x.abs().compare(LE, FAR).allTrue()) {
                sine(x, 0).intoMemorySegment(ALL, to + at, ORDER);
            } else {
                for (long i = at; i < at + F_BYTES; i += Float.BYTES) {
                    Memory.setFloat(to + i, (float) Math.sin(Memory.getFloat(from + i)));
                }
            }
        }
    }

    /** The cosine, which is the sine at π/2 further. */
    public static void cos(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            if (x.abs().compare(LE, FAR).allTrue()) {
                sine(x, 1).intoMemorySegment(ALL, to + at, ORDER);
            } else {
                for (long i = at; i < at + F_BYTES; i += Float.BYTES) {
                    Memory.setFloat(to + i, (float) Math.cos(Memory.getFloat(from + i)));
                }
            }
        }
    }

    private static FloatVector sine(FloatVector x, int quartersOn) {
        FloatVector z = x.fma(FloatVector.broadcast(F, TWO_OVER_PI), FloatVector.broadcast(F, ROUND));
        FloatVector k = z.sub(ROUND);
        FloatVector r = k.fma(FloatVector.broadcast(F, MINUS_QUARTER_HIGH), x);
        r = k.fma(FloatVector.broadcast(F, MINUS_QUARTER_MIDDLE), r);
        r = k.fma(FloatVector.broadcast(F, MINUS_QUARTER_LOW), r);
        FloatVector square = r.mul(r);
        FloatVector s = square.fma(FloatVector.broadcast(F, S2), FloatVector.broadcast(F, S1));
        s = s.fma(square, FloatVector.broadcast(F, S0)).mul(square).fma(r, r);
        FloatVector c = square.fma(FloatVector.broadcast(F, C2), FloatVector.broadcast(F, C1));
        c = c.fma(square, FloatVector.broadcast(F, C0)).fma(square, FloatVector.broadcast(F, -0.5f));
        c = c.fma(square, FloatVector.broadcast(F, 1f));
        IntVector quarter = z.reinterpretAsInts().add(quartersOn);
        IntVector sign = quarter.and(2).lanewise(LSHL, 30);
        FloatVector picked = s.blend(c, quarter.and(1).compare(NE, 0).cast(F));
        return picked.reinterpretAsInts().lanewise(XOR, sign).reinterpretAsFloats();
    }
}
