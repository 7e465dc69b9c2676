package dev.stowage.cpu.kernel.math;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.FLOATS;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LE;
import static jdk.incubator.vector.VectorOperators.LT;

import jdk.incubator.vector.FloatVector;

/** The activations of a vector that loops of one operand and gated units have in common. */
final class VectorActivations {

    /** Beyond this on either side the tanh form is taken for 0 or x. */
    static final float GELU_EDGE = 10f;

    /** {@code 2 * √(2/π)}: the exponent of {@link #gelu} is this times {@code x + 0.044715 * x³}. */
    private static final float TWO_ROOTS = 0x1.988454p0f;

    private static final float CUBED = 0.044715f * TWO_ROOTS;

    private static final float QUICK = 1.702f;

    /** From here on on either side exp(-x²/2) is 0 or as good as 0 beside 1. */
    private static final float ERF_EDGE = 13f;

    private static final float SQRT_HALF = 0x1.6a09e6p-1f;

    // exp(z²) * erfc(z) for z from 0 to 9.5 is E0 + E1 * t + E2 * t² + ... with t = 3 / (3 + z), to a relative 2e-8.
    private static final float E0 = 0x1.7735e0p-21f;
    private static final float E1 = 0x1.810f80p-3f;
    private static final float E2 = 0x1.82d362p-3f;
    private static final float E3 = 0x1.5cab7cp-3f;
    private static final float E4 = 0x1.92afd0p-3f;
    private static final float E5 = -0x1.af4466p-7f;
    private static final float E6 = 0x1.b083a2p-2f;
    private static final float E7 = -0x1.d93f18p-2f;
    private static final float E8 = 0x1.19e1e8p-1f;
    private static final float E9 = -0x1.315480p-2f;
    private static final float E10 = 0x1.d13824p-5f;

    private VectorActivations() {}

    /** {@code x * sigmoid(x)}. */
    static FloatVector silu(FloatVector x) {
        return x.div(VectorExponentials.exp(x.neg()).add(1f));
    }

    /** {@code x * sigmoid(1.702 * x)}. */
    static FloatVector geluQuick(FloatVector x) {
        return x.div(VectorExponentials.exp(x.mul(-QUICK)).add(1f));
    }

    /** {@code x / 2 * (1 + tanh(u))} as {@code x / (1 + exp(-2u))}, which is the same. */
    static FloatVector gelu(FloatVector x) {
        FloatVector slope = x.mul(x).fma(FloatVector.broadcast(F, -CUBED), FloatVector.broadcast(F, -TWO_ROOTS));
        FloatVector inside = x.div(VectorExponentials.exp(slope.mul(x)).add(1f));
        return inside.blend(0f, x.compare(LE, -GELU_EDGE)).blend(x, x.compare(GE, GELU_EDGE));
    }

    /**
     * {@code max(x, 0) - |x| / 2 * erfc(|x| / √2)}. The square in the exponent loses digits by rounding, which count
     * where it is large; what is lost is found by a fused product and put right to the first order.
     */
    static FloatVector geluErf(FloatVector x) {
        FloatVector size = x.abs();
        FloatVector t = ((FloatVector) FLOATS.cast(FloatVector.broadcast(F, 3f)))
                .div(size.fma(FloatVector.broadcast(F, SQRT_HALF), FloatVector.broadcast(F, 3f)));
        FloatVector p = t.fma(FloatVector.broadcast(F, E10), FloatVector.broadcast(F, E9));
        p = p.fma(t, FloatVector.broadcast(F, E8)).fma(t, FloatVector.broadcast(F, E7));
        p = p.fma(t, FloatVector.broadcast(F, E6)).fma(t, FloatVector.broadcast(F, E5));
        p = p.fma(t, FloatVector.broadcast(F, E4)).fma(t, FloatVector.broadcast(F, E3));
        p = p.fma(t, FloatVector.broadcast(F, E2)).fma(t, FloatVector.broadcast(F, E1));
        p = p.fma(t, FloatVector.broadcast(F, E0));
        FloatVector half = x.mul(-0.5f);
        FloatVector exponent = half.mul(x);
        FloatVector lost = half.fma(x, exponent.neg());
        FloatVector e = VectorExponentials.exp(exponent);
        FloatVector tail = lost.fma(e, e).mul(p).mul(size.mul(0.5f));
        FloatVector inside = ((FloatVector) FLOATS.cast(FloatVector.zero(F)))
                .blend(x, x.compare(GT, 0f))
                .sub(tail);
        return inside.blend(x.mul(0f), x.compare(LT, -ERF_EDGE)).blend(x, x.compare(GT, ERF_EDGE));
    }
}
