package dev.stowage.cpu.kernel.math;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.FLOATS;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Lanes.INTS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.GT;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Functions made of the exponential one; loops for {@link UnaryLoop}. */
public final class ExponentialKernels {

    // log(1 + u) / u for u from 0 to 1 is 1 + L1 * u + L2 * u² + ..., fitted to an error of 5e-9.
    private static final float L1 = -0x1.fffff4p-2f;
    private static final float L2 = 0x1.55534ep-2f;
    private static final float L3 = -0x1.ffbd42p-3f;
    private static final float L4 = 0x1.975cc8p-3f;
    private static final float L5 = -0x1.49d820p-3f;
    private static final float L6 = 0x1.fca85cp-4f;
    private static final float L7 = -0x1.51ade6p-4f;
    private static final float L8 = 0x1.53c93ap-5f;
    private static final float L9 = -0x1.b754c8p-7f;
    private static final float L10 = 0x1.0a1a36p-9f;

    private static final int SIGN = 0x8000_0000;

    private ExponentialKernels() {}

    /** {@code exp(x) - 1}, good to the last digits also around 0. */
    public static void expm1(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            VectorExponentials.expm1(x).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code x} where it is positive, else {@code exp(x) - 1}. */
    public static void elu(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            VectorExponentials.expm1(x).blend(x, x.compare(GT, 0f)).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** The hyperbolic tangent: with {@code m = expm1(-2|x|)} it is {@code -m / (m + 2)}, with the sign of {@code x}. */
    public static void tanh(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            IntVector sign = ((IntVector) INTS.cast(x.reinterpretAsInts())).and(SIGN);
            FloatVector m = VectorExponentials.expm1(x.abs().mul(-2f));
            FloatVector size = m.abs().div(m.add(2f));
            ((IntVector) INTS.cast(size.reinterpretAsInts())).or(sign).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** {@code log(1 + exp(x))}, as {@code max(x, 0) + log1p(exp(-|x|))}. */
    public static void softplus(long from, long to, long count) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            FloatVector u = VectorExponentials.exp(x.abs().neg());
            FloatVector p = u.fma(FloatVector.broadcast(F, L10), FloatVector.broadcast(F, L9));
            p = p.fma(u, FloatVector.broadcast(F, L8)).fma(u, FloatVector.broadcast(F, L7));
            p = p.fma(u, FloatVector.broadcast(F, L6)).fma(u, FloatVector.broadcast(F, L5));
            p = p.fma(u, FloatVector.broadcast(F, L4)).fma(u, FloatVector.broadcast(F, L3));
            p = p.fma(u, FloatVector.broadcast(F, L2)).fma(u, FloatVector.broadcast(F, L1));
            p = p.fma(u, FloatVector.broadcast(F, 1f));
            FloatVector positive = ((FloatVector) FLOATS.cast(FloatVector.zero(F))).blend(x, x.compare(GT, 0f));
            p.fma(u, positive).intoMemorySegment(ALL, to + at, ORDER);
        }
    }

    /** The expanded integral of ELU: {@code positive * x² + beta * x} above 0, else
     * {@code (expm1(min(x, epsilon)) - x) * negative + beta * x}. */
    public static void xielu(
            long from, long to, long count, float negative, float positive, float beta, float epsilon) {
        long bytes = count * Float.BYTES;
        for (long at = 0; at < bytes; at += F_BYTES) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + at, ORDER);
            FloatVector below = VectorExponentials.expm1(x.min(epsilon)).sub(x).mul(negative);
            FloatVector bent = below.blend(x.mul(positive).mul(x), x.compare(GT, 0f));
            x.fma(FloatVector.broadcast(F, beta), bent).intoMemorySegment(ALL, to + at, ORDER);
        }
    }
}
