package dev.stowage.cpu.kernel.math;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.FLOATS;
import static dev.stowage.cpu.kernel.Lanes.INTS;
import static dev.stowage.cpu.kernel.math.ExpKernels.C2;
import static dev.stowage.cpu.kernel.math.ExpKernels.C3;
import static dev.stowage.cpu.kernel.math.ExpKernels.C4;
import static dev.stowage.cpu.kernel.math.ExpKernels.C5;
import static dev.stowage.cpu.kernel.math.ExpKernels.EXPONENT_SHIFT;
import static dev.stowage.cpu.kernel.math.ExpKernels.LOG2_E;
import static dev.stowage.cpu.kernel.math.ExpKernels.LOWEST;
import static dev.stowage.cpu.kernel.math.ExpKernels.MINUS_LN2_HIGH;
import static dev.stowage.cpu.kernel.math.ExpKernels.MINUS_LN2_LOW;
import static dev.stowage.cpu.kernel.math.ExpKernels.ROUND;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LT;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * The exponential function of a vector, for loops that need it once per vector: the method of {@link ExpKernels}, but
 * the power of two is multiplied rather than added to the exponent, which preserves NaN. These methods are small enough
 * to be compiled into the loops that call them; a loop that calls several of them is not.
 */
final class VectorExponentials {

    /**
     * Rounds as {@link ExpKernels#ROUND} does and leaves the exponent of a float, not of a number, in the lowest bits.
     */
    private static final float ROUND_BIASED = ROUND + 127;

    /** The same for half the power, which does not overflow where the power does and its product with e^r does not. */
    private static final float ROUND_HALF = ROUND + 126;

    /** From here on the exponential is above 2^127.5. */
    private static final float HIGHEST = 0x1.617ep6f;

    /** Below this the exponential less one is -1 to more digits than a float has. */
    private static final float MINUS_ONE_BELOW = -40f;

    // (e^r - 1 - r) / r² for |r| up to ln 2 / 2, fitted such that e^r - 1 has a relative error of 2e-8.
    private static final float M0 = 0.5f;
    private static final float M1 = 0x1.5554aep-3f;
    private static final float M2 = 0x1.555486p-5f;
    private static final float M3 = 0x1.122880p-7f;
    private static final float M4 = 0x1.6d99bap-10f;

    private VectorExponentials() {}

    /** The exponential: 0 where it is subnormal, infinity from 2^127.5 on. */
    static FloatVector exp(FloatVector x) {
        FloatVector z = x.fma(FloatVector.broadcast(F, LOG2_E), FloatVector.broadcast(F, ROUND_BIASED));
        FloatVector k = z.sub(ROUND_BIASED);
        FloatVector r = k.fma(FloatVector.broadcast(F, MINUS_LN2_HIGH), x);
        r = k.fma(FloatVector.broadcast(F, MINUS_LN2_LOW), r);
        FloatVector p = r.fma(FloatVector.broadcast(F, C5), FloatVector.broadcast(F, C4));
        p = p.fma(r, FloatVector.broadcast(F, C3)).fma(r, FloatVector.broadcast(F, C2));
        p = p.fma(r, FloatVector.broadcast(F, 1f)).fma(r, FloatVector.broadcast(F, 1f));
        FloatVector power = ((IntVector) INTS.cast(z.reinterpretAsInts()))
                .lanewise(LSHL, EXPONENT_SHIFT)
                .reinterpretAsFloats();
        FloatVector e = p.mul(power).blend(0f, x.compare(LT, LOWEST));
        return e.blend(Float.POSITIVE_INFINITY, x.compare(GT, HIGHEST));
    }

    /** The exponential less one, with {@code x = k * ln 2 + r}: {@code 2^k * expm1(r) + (2^k - 1)}. */
    static FloatVector expm1(FloatVector x) {
        FloatVector z = x.fma(FloatVector.broadcast(F, LOG2_E), FloatVector.broadcast(F, ROUND_HALF));
        FloatVector k = z.sub(ROUND_HALF);
        FloatVector r = k.fma(FloatVector.broadcast(F, MINUS_LN2_HIGH), x);
        r = k.fma(FloatVector.broadcast(F, MINUS_LN2_LOW), r);
        FloatVector p = r.fma(FloatVector.broadcast(F, M4), FloatVector.broadcast(F, M3));
        p = p.fma(r, FloatVector.broadcast(F, M2)).fma(r, FloatVector.broadcast(F, M1));
        p = p.fma(r, FloatVector.broadcast(F, M0)).mul(r).fma(r, r);
        FloatVector half = ((IntVector) INTS.cast(z.reinterpretAsInts()))
                .lanewise(LSHL, EXPONENT_SHIFT)
                .reinterpretAsFloats();
        FloatVector e = p.fma(half, ((FloatVector) FLOATS.cast(half)).sub(0.5f));
        e = e.add(e).blend(-1f, x.compare(LT, MINUS_ONE_BELOW));
        return e.blend(Float.POSITIVE_INFINITY, x.compare(GT, ExpKernels.HIGHEST));
    }
}
