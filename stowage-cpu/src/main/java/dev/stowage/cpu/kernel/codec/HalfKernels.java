package dev.stowage.cpu.kernel.codec;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.FLOATS;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Lanes.I;
import static dev.stowage.cpu.kernel.Lanes.INTS;
import static dev.stowage.cpu.kernel.Lanes.S;
import static dev.stowage.cpu.kernel.Lanes.SHORTS;
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
import static jdk.incubator.vector.VectorOperators.UGT;
import static jdk.incubator.vector.VectorOperators.UMAX;
import static jdk.incubator.vector.VectorOperators.XOR;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.cpu.kernel.ProcessorInfo;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorSpecies;

/**
 * Conversion between floats and f16, for which the Vector API has no operation: exponent and fraction are shifted into
 * place with integer operations. What is subnormal as an f16 is normal as a float and is made by a float operation that
 * cannot meet subnormal numbers, since some processors are slow with these; where they are not, a product shifts the
 * exponent.
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

    /** The bits of 2^-14, the smallest float that is a normal f16. */
    private static final int SMALLEST_NORMAL = 113 << 23;

    /** The bits of 2^16, which has no f16. */
    private static final int TOO_LARGE = 143 << 23;

    /** The largest f16; what is above may become infinity. */
    private static final int LARGEST = (142 << 23) | (0x3FF << 13);

    private static final int MAGNITUDE = 0x7FFF_FFFF;

    /** The bits of the smallest normal f16 and of an infinite one, in the upper places of an int without its sign. */
    private static final int SHIFTED_NORMAL = HALF_NORMAL << 13;

    private static final int SHIFTED_INFINITY = HALF_INFINITY << 13;

    /** What is left of an f16 that was extended to an int and shifted there. */
    private static final int SIGN_AND_HALF = 0x8FFF_E000;

    /** As many f16 as fill a vector: those of two vectors of floats. */
    private static final VectorSpecies<Short> PAIRS = VectorSpecies.of(short.class, F.vectorShape());

    private static final long PAIR = PAIRS.length();

    /**
     * Whether a product of subnormal floats takes no longer than others: on AMD's processors. With it the way from f16 takes
     * half the operations.
     */
    private static final boolean SUBNORMALS_ARE_FAST = ProcessorInfo.isAmd();

    private static final Class<? extends Vector<Short>> PAIR_TYPE = PAIRS.vectorType();

    /** Whether there is an instruction that takes shorts out of two vectors, as there is where these have 512 bits. */
    private static final boolean SELECTS_FROM_TWO = PAIRS.vectorBitSize() == 512;

    /**
     * The numbers that {@link #fromNormalFloatsAsShorts} needs in every lane. The compiler makes constants anew in each iteration
     * of a loop, and what it cannot know to be constant only once.
     */
    private static final short[] IN_EVERY_LANE = {
        0x7FFF, SMALLEST_NORMAL >> 16, (LARGEST >> 16) - (SMALLEST_NORMAL >> 16), 0x4000, 1, Short.MIN_VALUE
    };

    private static final int[] EIGHT = {8};

    /** The numbers of the upper and of the lower halves of the ints in two vectors. */
    private static final short[] UPPER_THEN_LOWER = upperThenLower();

    /** How many floats go the way that is right for all where one was met that is not normal. */
    private static final long STRETCH = 256;

    private HalfKernels() {}

    private static short[] upperThenLower() {
        int lanes = PAIRS.length();
        short[] numbers = new short[2 * lanes];
        for (int i = 0; i < lanes; i++) {
            numbers[i] = (short) (2 * i + 1);
            numbers[lanes + i] = (short) (2 * i);
        }
        return numbers;
    }

    /** Converts {@code count} f16 at {@code from} into floats at {@code to}; exact, and NaN are made quiet. */
    public static void toFloats(long from, long to, long count) {
        long pairs = count & -PAIR;
        if (SUBNORMALS_ARE_FAST) {
            toFloatsByProduct(from, to, pairs);
        } else {
            toFloatsByBits(from, to, pairs);
        }
        for (long i = pairs; i < count; i++) {
            Memory.setFloat(to + i * 4, Memory.getHalf(from + i * 2));
        }
    }

    /** As a float the bits of an f16, shifted, are that number less 2^112 times, subnormal or not. */
    private static void toFloatsByProduct(long from, long to, long count) {
        long end = from + count * 2;
        long result = to;
        for (long next = from; next != end; next += PAIR * 2) {
            long at = next & ADDRESS;
            long target = result & ADDRESS;
            ShortVector both = (ShortVector) PAIR_TYPE.cast(ShortVector.fromMemorySegment(PAIRS, ALL, at, ORDER));
            if (both.and((short) 0x7FFF).compare(GE, (short) HALF_INFINITY).anyTrue()) {
                oddToFloats(at, target);
                oddToFloats(at + PAIR, target + F_BYTES);
            } else {
                IntVector low = (IntVector) INTS.cast(
                        ShortVector.fromMemorySegment(S, ALL, at, ORDER).convertShape(S2I, I, 0));
                IntVector high = (IntVector) INTS.cast(
                        ShortVector.fromMemorySegment(S, ALL, at + PAIR, ORDER).convertShape(S2I, I, 0));
                FloatVector x = (FloatVector)
                        FLOATS.cast(low.lanewise(LSHL, 13).and(SIGN_AND_HALF).reinterpretAsFloats());
                FloatVector y = (FloatVector)
                        FLOATS.cast(high.lanewise(LSHL, 13).and(SIGN_AND_HALF).reinterpretAsFloats());
                x.mul(0x1p112f).intoMemorySegment(ALL, target, ORDER);
                y.mul(0x1p112f).intoMemorySegment(ALL, target + F_BYTES, ORDER);
            }
            result += PAIR * 4;
        }
    }

    /** The way without subnormal floats; zero and subnormal f16 go the long way too. */
    private static void toFloatsByBits(long from, long to, long count) {
        long end = from + count * 2;
        long result = to;
        for (long next = from; next != end; next += F.length() * 2L) {
            long at = next & ADDRESS;
            long target = result & ADDRESS;
            IntVector h = (IntVector)
                    INTS.cast(ShortVector.fromMemorySegment(S, ALL, at, ORDER).convertShape(S2I, I, 0));
            VectorMask<Integer> odd = h.and(HALF_INFINITY).sub(HALF_NORMAL).compare(UGE, HALF_INFINITY - HALF_NORMAL);
            // Each way stores for itself: a vector that may come from two ways would be put into an object.
            if (odd.anyTrue()) {
                oddToFloats(at, target);
            } else {
                h.lanewise(LSHL, 13).and(SIGN_AND_HALF).add(REBIAS).intoMemorySegment(ALL, target, ORDER);
            }
            result += F_BYTES;
        }
    }

    /** Converts a vector of f16 into floats of which some may be zero, subnormal, infinite or NaN. */
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
     * Converts {@code count} floats at {@code from} into the nearest f16 at {@code to}, halves to the even one. A NaN keeps
     * its sign and the upper part of its fraction and is made quiet.
     */
    public static void fromFloats(long from, long to, long count) {
        long pairs = count & -PAIR;
        if (SELECTS_FROM_TWO) {
            fromFloatsAsShorts(from, to, pairs);
        } else {
            fromNormalFloats(from, to, pairs);
        }
        for (long i = pairs; i < count; i++) {
            Memory.setHalf(to + i * 2, Memory.getFloat(from + i * 4));
        }
    }

    private static void fromFloatsAsShorts(long from, long to, long count) {
        long end = from + count * 4;
        long at = from;
        long target = to;
        while (at != end) {
            long fours = (end - at) / 4 & -2 * PAIR;
            long next = fours == 0 ? at : fromNormalFloatsAsShorts(at, target, at + fours * 4);
            target += (next - at) / 2;
            at = next;
            long stretch = Math.min(STRETCH, (end - at) / 4);
            fromNormalFloats(at, target, stretch);
            at += stretch * 4;
            target += stretch * 2;
        }
    }

    /**
     * The shortest way, for what is normal as an f16: most of it with the upper and lower halves of floats in vectors of
     * their own, so that one operation serves twice as many. A float three bits to the left has all of an f16 but its sign
     * in its upper half, the largest bit of the exponent turned over, and in its lower half what is to be rounded.
     *
     * @return where the first vectors begin that have another number, or the end
     */
    private static long fromNormalFloatsAsShorts(long from, long to, long end) {
        ShortVector magnitude = ShortVector.broadcast(PAIRS, IN_EVERY_LANE[0]);
        ShortVector smallest = ShortVector.broadcast(PAIRS, IN_EVERY_LANE[1]);
        ShortVector range = ShortVector.broadcast(PAIRS, IN_EVERY_LANE[2]);
        ShortVector exponent = ShortVector.broadcast(PAIRS, IN_EVERY_LANE[3]);
        ShortVector one = ShortVector.broadcast(PAIRS, IN_EVERY_LANE[4]);
        ShortVector half = ShortVector.broadcast(PAIRS, IN_EVERY_LANE[5]);
        IntVector eight = IntVector.broadcast(I, EIGHT[0]);
        ShortVector upper = (ShortVector) PAIR_TYPE.cast(ShortVector.fromArray(PAIRS, UPPER_THEN_LOWER, 0));
        ShortVector lower = (ShortVector) PAIR_TYPE.cast(ShortVector.fromArray(PAIRS, UPPER_THEN_LOWER, (int) PAIR));
        long result = to;
        for (long next = from; next != end; next += PAIR * 8) {
            long at = next & ADDRESS;
            long target = result & ADDRESS;
            IntVector a = (IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, at, ORDER));
            IntVector b = (IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, at + F_BYTES, ORDER));
            IntVector c = (IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, at + 2L * F_BYTES, ORDER));
            IntVector d = (IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, at + 3L * F_BYTES, ORDER));
            ShortVector signs =
                    (ShortVector) PAIR_TYPE.cast(upper.selectFrom(a.reinterpretAsShorts(), b.reinterpretAsShorts()));
            ShortVector otherSigns =
                    (ShortVector) PAIR_TYPE.cast(upper.selectFrom(c.reinterpretAsShorts(), d.reinterpretAsShorts()));
            if (signs.and(magnitude)
                    .sub(smallest)
                    .lanewise(UMAX, otherSigns.and(magnitude).sub(smallest))
                    .compare(UGE, range)
                    .anyTrue()) {
                return next;
            }
            // A product takes as long as a shift does, and finds its place in the processor free.
            ShortVector x = a.mul(eight).reinterpretAsShorts();
            ShortVector y = b.mul(eight).reinterpretAsShorts();
            ShortVector bits = ((ShortVector) PAIR_TYPE.cast(upper.selectFrom(x, y)))
                    .lanewise(XOR, exponent)
                    .lanewise(XOR, signs)
                    .and(magnitude)
                    .lanewise(XOR, signs);
            ShortVector rest = (ShortVector) PAIR_TYPE.cast(lower.selectFrom(x, y));
            bits.add(one, rest.or(bits.and(one)).compare(UGT, half)).intoMemorySegment(ALL, target, ORDER);
            x = c.mul(eight).reinterpretAsShorts();
            y = d.mul(eight).reinterpretAsShorts();
            bits = ((ShortVector) PAIR_TYPE.cast(upper.selectFrom(x, y)))
                    .lanewise(XOR, exponent)
                    .lanewise(XOR, otherSigns)
                    .and(magnitude)
                    .lanewise(XOR, otherSigns);
            rest = (ShortVector) PAIR_TYPE.cast(lower.selectFrom(x, y));
            bits.add(one, rest.or(bits.and(one)).compare(UGT, half)).intoMemorySegment(ALL, target + F_BYTES, ORDER);
            result += PAIR * 4;
        }
        return end;
    }

    /**
     * The short way for what is normal as an f16, with the sign left in place. Where one of the numbers is not, zero among
     * them, or rounds up to infinity, a pair of vectors goes the long way.
     */
    private static void fromNormalFloats(long from, long to, long count) {
        long end = from + count * 4;
        long result = to;
        for (long next = from; next != end; next += PAIR * 4) {
            long at = next & ADDRESS;
            long target = result & ADDRESS;
            IntVector x = (IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, at, ORDER));
            IntVector y = (IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, at + F_BYTES, ORDER));
            IntVector low = x.lanewise(LSHR, 13).and(1).add(x).add(0xFFF - REBIAS);
            IntVector high = y.lanewise(LSHR, 13).and(1).add(y).add(0xFFF - REBIAS);
            VectorMask<Integer> odd = low.and(MAGNITUDE)
                    .sub(SHIFTED_NORMAL + 0xFFF)
                    .compare(UGE, SHIFTED_INFINITY - SHIFTED_NORMAL - 0xFFF)
                    .or(high.and(MAGNITUDE)
                            .sub(SHIFTED_NORMAL + 0xFFF)
                            .compare(UGE, SHIFTED_INFINITY - SHIFTED_NORMAL - 0xFFF));
            if (odd.anyTrue()) {
                fromFloatsByBits(at, target, PAIR);
            } else {
                IntVector a = low.lanewise(LSHR, 13).or(x.lanewise(LSHR, 16).and(0x8000));
                IntVector b = high.lanewise(LSHR, 13).or(y.lanewise(LSHR, 16).and(0x8000));
                ((ShortVector) SHORTS.cast(a.convertShape(I2S, S, 0))).intoMemorySegment(ALL, target, ORDER);
                ((ShortVector) SHORTS.cast(b.convertShape(I2S, S, 0))).intoMemorySegment(ALL, target + PAIR, ORDER);
            }
            result += PAIR * 2;
        }
    }

    private static void fromFloatsByBits(long from, long to, long count) {
        long end = from + count * 4;
        long result = to;
        for (long next = from; next != end; next += F_BYTES) {
            IntVector bits = (IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, next & ADDRESS, ORDER));
            IntVector magnitude = bits.and(MAGNITUDE);
            // From there on everything becomes infinity, as 2^16 does by itself.
            IntVector limited = magnitude.min(TOO_LARGE);
            IntVector tieToEven = limited.lanewise(LSHR, 13).and(1);
            IntVector half = limited.add(0xFFF - REBIAS).add(tieToEven).lanewise(LSHR, 13);
            // The unit of the last place of 0.5 is that of a subnormal f16, so the addition rounds to one.
            FloatVector size = (FloatVector) FLOATS.cast(magnitude.reinterpretAsFloats());
            IntVector small = ((IntVector) INTS.cast(size.add(0.5f).reinterpretAsInts())).sub(0x3F00_0000);
            half = half.blend(small, magnitude.compare(LT, SMALLEST_NORMAL));
            VectorMask<Integer> nan = magnitude.compare(GT, INFINITY);
            IntVector quiet = magnitude.lanewise(LSHR, 13).and(0x3FF).or(0x7E00);
            IntVector signed = bits.lanewise(LSHR, 16).and(0x8000).or(half.blend(quiet, nan));
            ((ShortVector) SHORTS.cast(signed.convertShape(I2S, S, 0))).intoMemorySegment(ALL, result & ADDRESS, ORDER);
            result += F.length() * 2L;
        }
    }
}
