package dev.stowage.cpu.kernel.math;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LT;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;

/**
 * The natural logarithm; a loop for {@link UnaryLoop}. With {@code x = 2^k * (1 + f)} and {@code f} between √½ - 1 and
 * √2 - 1 it is {@code k * ln 2 + f - f²/2 + f³ * (C0 + C1 * f + ...)}, the polynomial fitted to an error of 1e-9.
 */
public final class LogKernels {

    private static final float C0 = 0x1.555546p-2f;
    private static final float C1 = -0x1.ffffeep-3f;
    private static final float C2 = 0x1.99a546p-3f;
    private static final float C3 = -0x1.5562e0p-3f;
    private static final float C4 = 0x1.2332b4p-3f;
    private static final float C5 = -0x1.fb438ep-4f;
    private static final float C6 = 0x1.e651a4p-4f;
    private static final float C7 = -0x1.e2e7cep-4f;
    private static final float C8 = 0x1.1b3e5ap-4f;

    private static final float LN2_HIGH = -ExpKernels.MINUS_LN2_HIGH;
    private static final float LN2_LOW = -ExpKernels.MINUS_LN2_LOW;

    /** The bits of √½: what they are taken from has the exponent and the fraction that make {@code f} small. */
    private static final int SQRT_HALF_BITS = 0x3f35_04f3;

    private static final int FRACTION = 0x007f_ffff;

    private LogKernels() {}

    /** The natural logarithm; minus infinity of 0, NaN of what is negative. */
    public static void log(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            VectorMask<Float> tiny = x.compare(LT, Float.MIN_NORMAL);
            FloatVector normal = x.blend(x.mul(0x1p23f), tiny);
            IntVector above = normal.reinterpretAsInts().sub(SQRT_HALF_BITS);
            FloatVector k = (FloatVector) above.lanewise(ASHR, 23).convert(I2F, 0);
            k = k.blend(k.sub(23f), tiny);
            FloatVector f = above.and(FRACTION)
                    .add(SQRT_HALF_BITS)
                    .reinterpretAsFloats()
                    .sub(1f);
            FloatVector p = f.fma(FloatVector.broadcast(F, C8), FloatVector.broadcast(F, C7));
            p = p.fma(f, FloatVector.broadcast(F, C6)).fma(f, FloatVector.broadcast(F, C5));
            p = p.fma(f, FloatVector.broadcast(F, C4)).fma(f, FloatVector.broadcast(F, C3));
            p = p.fma(f, FloatVector.broadcast(F, C2)).fma(f, FloatVector.broadcast(F, C1));
            p = p.fma(f, FloatVector.broadcast(F, C0)).fma(f, FloatVector.broadcast(F, -0.5f));
            FloatVector curve = p.mul(f).fma(f, k.mul(LN2_LOW)).add(f);
            FloatVector result = k.fma(FloatVector.broadcast(F, LN2_HIGH), curve);
            result = result.blend(x, x.compare(LT, Float.POSITIVE_INFINITY).not());
            result = result.blend(Float.NaN, x.compare(LT, 0f));
            result.blend(Float.NEGATIVE_INFINITY, x.compare(EQ, 0f)).intoMemorySegment(ALL, to + at, ORDER);
        }
    }
}
