package dev.stowage.cpu.kernel;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.I;
import static dev.stowage.cpu.kernel.Lanes.S;
import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.GE;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.I2S;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.LT;
import static jdk.incubator.vector.VectorOperators.OR;
import static jdk.incubator.vector.VectorOperators.S2I;
import static jdk.incubator.vector.VectorOperators.UGE;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorMask;

/**
 * The way between floats and f16, for which the Vector API has no conversion: with whole numbers, exponent and fraction
 * shifted into place. What is subnormal as an f16 is normal as a float and is made by a float operation that cannot meet
 * subnormal numbers, since processors are slow with these.
 */
public final class HalfKernels {

    /** What the exponent of a float is larger by, in place. */
    private static final int REBIAS = (127 - 15) << 23;

    /** The bits of an f16 infinity; NaN are above. */
    private static final int HALF_INFINITY = 0x7C00;

    /** The smallest normal f16. */
    private static final int HALF_NORMAL = 0x400;

    /** The bits of a float infinity; NaN are above. */
    private static final int INFINITY = 0x7F80_0000;

    private static final int QUIET = 0x0040_0000;

    /** The bits of a float that those of an f16, shifted into place behind copies of the sign, are to set. */
    private static final int SIGN_AND_MAGNITUDE = 0x8FFF_E000;

    /** The bits of 2^-14, the smallest float that is a normal f16. */
    private static final int SMALLEST_NORMAL = 113 << 23;

    /** The bits of 2^16, which has no f16. */
    private static final int TOO_LARGE = 143 << 23;

    /** What the compiler is told of vectors it cannot tell the class of: those that were neither loaded nor computed. */
    private static final Class<? extends Vector<Float>> FLOATS = F.vectorType();

    private static final Class<? extends Vector<Integer>> INTS = I.vectorType();
    private static final Class<? extends Vector<Short>> SHORTS = S.vectorType();

    private HalfKernels() {}

    /** Turns {@code count} f16 at {@code from} into floats at {@code to}; exact, and NaN are made quiet. */
    public static void toFloats(long from, long to, long count) {
        long whole = count - count % F.length();
        for (long i = 0; i < whole; i += F.length()) {
            long at = from + i * 2 & ADDRESS;
            long target = to + i * 4 & ADDRESS;
            IntVector h = (IntVector)
                    INTS.cast(ShortVector.fromMemorySegment(S, ALL, at, ORDER).convertShape(S2I, I, 0));
            VectorMask<Integer> odd =
                    h.and(HALF_INFINITY).sub(HALF_NORMAL).compare(UGE, HALF_INFINITY - HALF_NORMAL);
            // Each way stores for itself: a vector that may come from two ways would be put into an object.
            if (odd.anyTrue()) {
                oddToFloats(at, target);
            } else {
                h.lanewise(LSHL, 13).and(SIGN_AND_MAGNITUDE).add(REBIAS).intoMemorySegment(ALL, target, ORDER);
            }
        }
        for (long i = whole; i < count; i++) {
            Memory.setFloat(to + i * 4, Memory.getHalf(from + i * 2));
        }
    }

    /** Turns a vector of f16 into floats of which some may be zero, subnormal, infinite or no numbers. */
    private static void oddToFloats(long from, long to) {
        IntVector h = (IntVector)
                INTS.cast(ShortVector.fromMemorySegment(S, ALL, from, ORDER).convertShape(S2I, I, 0));
        IntVector magnitude = h.and(0x7FFF);
        FloatVector small = ((FloatVector) FLOATS.cast(magnitude.convert(I2F, 0))).mul(0x1p-24f);
        magnitude
                .lanewise(LSHL, 13)
                .add(REBIAS)
                .add(REBIAS, magnitude.compare(GE, HALF_INFINITY))
                .lanewise(OR, QUIET, magnitude.compare(GT, HALF_INFINITY))
                .blend(small.reinterpretAsInts(), magnitude.compare(LT, HALF_NORMAL))
                .or(h.and(0x8000_0000))
                .intoMemorySegment(ALL, to, ORDER);
    }

    /**
     * Turns {@code count} floats at {@code from} into the nearest f16 at {@code to}, halves to the even one. A NaN keeps
     * its sign and the upper part of its fraction and is made quiet.
     */
    public static void fromFloats(long from, long to, long count) {
        long whole = count - count % F.length();
        for (long i = 0; i < whole; i += F.length()) {
            IntVector bits = IntVector.fromMemorySegment(I, ALL, from + i * 4, ORDER);
            IntVector magnitude = bits.and(0x7FFF_FFFF);
            // From there on everything becomes infinity, as 2^16 does by itself.
            IntVector limited = magnitude.min(TOO_LARGE);
            IntVector tieToEven = limited.lanewise(LSHR, 13).and(1);
            IntVector half = limited.add(0xFFF - REBIAS).add(tieToEven).lanewise(LSHR, 13);
            // The unit of the last place of 0.5 is that of a subnormal f16, so the addition rounds to one.
            FloatVector shifted = ((FloatVector) FLOATS.cast(magnitude.reinterpretAsFloats())).add(0.5f);
            IntVector small = ((IntVector) INTS.cast(shifted.reinterpretAsInts())).sub(0x3F00_0000);
            half = half.blend(small, magnitude.compare(LT, SMALLEST_NORMAL));
            IntVector sign = bits.lanewise(LSHR, 16).and(0x8000);
            VectorMask<Integer> nan = magnitude.compare(GT, INFINITY);
            if (nan.anyTrue()) {
                IntVector quiet = magnitude.lanewise(LSHR, 13).and(0x3FF).or(0x7E00);
                SHORTS.cast(half.blend(quiet, nan).or(sign).convertShape(I2S, S, 0))
                        .intoMemorySegment(ALL, to + i * 2, ORDER);
            } else {
                SHORTS.cast(half.or(sign).convertShape(I2S, S, 0)).intoMemorySegment(ALL, to + i * 2, ORDER);
            }
        }
        for (long i = whole; i < count; i++) {
            Memory.setHalf(to + i * 2, Memory.getFloat(from + i * 4));
        }
    }
}
