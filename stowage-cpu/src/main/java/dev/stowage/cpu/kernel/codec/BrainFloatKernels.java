package dev.stowage.cpu.kernel.codec;

import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.I;
import static dev.stowage.cpu.kernel.Lanes.INTS;
import static dev.stowage.cpu.kernel.Lanes.S;
import static dev.stowage.cpu.kernel.Lanes.SHORTS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.GT;
import static jdk.incubator.vector.VectorOperators.I2S;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.S2I;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.reference.quant.bits.FloatFormats;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;

/** Conversion between floats and bf16, which is the upper half of a float. */
public final class BrainFloatKernels {

    private static final int INFINITY = 0x7F80_0000;
    private static final int QUIET = 0x0040_0000;

    private BrainFloatKernels() {}

    /** Converts {@code count} bf16 at {@code from} into floats at {@code to}; exact. */
    public static void toFloats(long from, long to, long count) {
        long whole = count - count % F.length();
        for (long i = 0; i < whole; i += F.length()) {
            ShortVector upper = (ShortVector) SHORTS.cast(ShortVector.fromMemorySegment(S, ALL, from + i * 2, ORDER));
            ((IntVector) INTS.cast(upper.convertShape(S2I, I, 0)))
                    .lanewise(LSHL, 16)
                    .intoMemorySegment(ALL, to + i * 4, ORDER);
        }
        for (long i = whole; i < count; i++) {
            Memory.setInt(to + i * 4, Memory.getShort(from + i * 2) << 16);
        }
    }

    /**
     * Converts {@code count} floats at {@code from} into the nearest bf16 at {@code to}, halves to the even one. A NaN keeps
     * its sign and the upper part of its fraction and is made quiet.
     */
    public static void fromFloats(long from, long to, long count) {
        long whole = count - count % F.length();
        for (long i = 0; i < whole; i += F.length()) {
            IntVector bits = (IntVector) INTS.cast(IntVector.fromMemorySegment(I, ALL, from + i * 4, ORDER));
            VectorMask<Integer> nan = bits.and(0x7FFF_FFFF).compare(GT, INFINITY);
            IntVector tieToEven = bits.lanewise(LSHR, 16).and(1);
            IntVector rounded = bits.add(0x7FFF).add(tieToEven).blend(bits.or(QUIET), nan);
            ((ShortVector) SHORTS.cast(rounded.lanewise(LSHR, 16).convertShape(I2S, S, 0)))
                    .intoMemorySegment(ALL, to + i * 2, ORDER);
        }
        for (long i = whole; i < count; i++) {
            Memory.setShort(to + i * 2, FloatFormats.toBrainFloat(Memory.getFloat(from + i * 4)));
        }
    }
}
