package dev.stowage.cpu.kernel.product;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.FLOATS;
import static dev.stowage.cpu.kernel.Lanes.INTS;
import static dev.stowage.cpu.kernel.Memory.ADDRESS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/**
 * Rounds floats to what another type can hold, and leaves them floats: what is multiplied with quantised weights counts in
 * eight bits, what is multiplied with halves as halves. Products then take floats of whichever kind and still give what
 * products of the rounded types would.
 */
public final class DotRounding {

    private static final float LARGEST = 127;

    /** Added to a float between -2^22 and 2^22 and taken away again, this leaves the nearest whole number. */
    private static final float TO_WHOLE = 0x1.8p23f;

    /** Added to a float below the smallest normal f16 and taken away again, this leaves the nearest f16. */
    private static final float TO_SUBNORMAL_HALF = 0.75f;

    private static final float SMALLEST_HALF = 0x1p-14f;

    /** What rounds to no finite f16. */
    private static final float TOO_LARGE = 65520f;

    private static final int HALF_TAIL = 13;
    private static final int BRAIN_TAIL = 16;
    private static final int QUIET_NAN = 0x7FC00000;

    private DotRounding() {}

    /**
     * Rounds to eight bits in blocks, each with the scale that its largest number asks for. A block with infinities or NaN
     * stays as it is.
     *
     * @param block how many numbers have the same scale, 32 or 256; the count is a multiple of it
     * @param halfScale whether the scale is an f16
     */
    public static void eightBits(long from, long to, int count, int block, boolean halfScale) {
        for (int at = 0; at < count; at += block) {
            long source = from + 4L * at & ADDRESS;
            long target = to + 4L * at & ADDRESS;
            float most = largest(source, block);
            // Written so that NaN goes this way too.
            if (!(most < Float.POSITIVE_INFINITY)) {
                Memory.copy(source, target, 4L * block);
                continue;
            }
            float inverse = most == 0 ? 0 : LARGEST / most;
            float scale = most / LARGEST;
            scale = halfScale ? Float.float16ToFloat(Float.floatToFloat16(scale)) : scale;
            scale(source, target, block, inverse, scale);
        }
    }

    private static float largest(long from, int count) {
        FloatVector largest = FloatVector.zero(F);
        for (int i = 0; i < count; i += F.length()) {
            largest = FloatVector.fromMemorySegment(F, ALL, from + 4L * i, ORDER)
                    .abs()
                    .max(largest);
        }
        return ((FloatVector) FLOATS.cast(largest)).reduceLanes(VectorOperators.MAX);
    }

    private static void scale(long from, long to, int count, float inverse, float scale) {
        for (int i = 0; i < count; i += F.length()) {
            FloatVector.fromMemorySegment(F, ALL, from + 4L * i, ORDER)
                    .mul(inverse)
                    .add(TO_WHOLE)
                    .sub(TO_WHOLE)
                    .mul(scale)
                    .intoMemorySegment(ALL, to + 4L * i, ORDER);
        }
    }

    /** Rounds to f16. */
    public static void halves(long from, long to, int count) {
        int i = 0;
        for (; i <= count - F.length(); i += F.length()) {
            FloatVector x =
                    (FloatVector) FLOATS.cast(FloatVector.fromMemorySegment(F, ALL, (from & ADDRESS) + 4L * i, ORDER));
            FloatVector magnitude = (FloatVector) FLOATS.cast(x.abs());
            IntVector bits = (IntVector) INTS.cast(x.reinterpretAsInts());
            // To even in between. Written out, here and for bf16: a method for it would have to return vectors.
            IntVector even = bits.lanewise(VectorOperators.LSHR, HALF_TAIL).and(1);
            FloatVector normal = (FloatVector) FLOATS.cast(bits.add((1 << (HALF_TAIL - 1)) - 1)
                    .add(even)
                    .and(-1 << HALF_TAIL)
                    .reinterpretAsFloats());
            VectorMask<Float> small = magnitude.compare(VectorOperators.LT, SMALLEST_HALF);
            VectorMask<Float> fits = magnitude.compare(VectorOperators.LT, TOO_LARGE);
            FloatVector finite = normal.blend(x.add(TO_SUBNORMAL_HALF).sub(TO_SUBNORMAL_HALF), small);
            x.mul(Float.POSITIVE_INFINITY).blend(finite, fits).intoMemorySegment(ALL, (to & ADDRESS) + 4L * i, ORDER);
        }
        for (; i < count; i++) {
            float x = Memory.getFloat(from + 4L * i);
            Memory.setFloat(to + 4L * i, Float.float16ToFloat(Float.floatToFloat16(x)));
        }
    }

    /** Rounds to bf16. NaN becomes one that the upper half of its bits still says. */
    public static void brains(long from, long to, int count) {
        int i = 0;
        for (; i <= count - F.length(); i += F.length()) {
            FloatVector x =
                    (FloatVector) FLOATS.cast(FloatVector.fromMemorySegment(F, ALL, (from & ADDRESS) + 4L * i, ORDER));
            IntVector bits = (IntVector) INTS.cast(x.reinterpretAsInts());
            IntVector even = bits.lanewise(VectorOperators.LSHR, BRAIN_TAIL).and(1);
            FloatVector rounded = (FloatVector) FLOATS.cast(bits.add((1 << (BRAIN_TAIL - 1)) - 1)
                    .add(even)
                    .and(-1 << BRAIN_TAIL)
                    .reinterpretAsFloats());
            rounded.blend(x.add(x), x.test(VectorOperators.IS_NAN))
                    .intoMemorySegment(ALL, (to & ADDRESS) + 4L * i, ORDER);
        }
        for (; i < count; i++) {
            int bits = Memory.getInt(from + 4L * i);
            boolean isNan = Float.isNaN(Float.intBitsToFloat(bits));
            int rounded = (bits + 0x7FFF + ((bits >>> BRAIN_TAIL) & 1)) & (-1 << BRAIN_TAIL);
            Memory.setInt(to + 4L * i, isNan ? bits | QUIET_NAN : rounded);
        }
    }
}
