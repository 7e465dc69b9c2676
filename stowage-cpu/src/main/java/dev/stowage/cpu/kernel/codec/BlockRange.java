package dev.stowage.cpu.kernel.codec;

import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Lanes.I;
import static dev.stowage.cpu.kernel.Lanes.INTS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.ASHR;
import static jdk.incubator.vector.VectorOperators.MAX;
import static jdk.incubator.vector.VectorOperators.MIN;
import static jdk.incubator.vector.VectorOperators.XOR;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.IntVector;

/**
 * The minimum and maximum of the 32 floats of a block. They are computed on the bits, since comparing integers takes
 * one instruction where comparing floats, with NaN, takes several. Without its sign a float has bits in the order of
 * magnitudes; with the other bits inverted where it is negative, its bits are a <em>key</em> in the order of floats, -0
 * before 0. NaN of either sign are beyond the infinities.
 */
final class BlockRange {

    static final int SIZE = 32;

    private static final int MAGNITUDE = 0x7FFF_FFFF;

    private BlockRange() {}

    /** The largest magnitude; NaN if there is one. */
    static float largest(long from) {
        long at = from & Memory.ADDRESS;
        IntVector largest = IntVector.fromMemorySegment(I, ALL, at, ORDER).and(MAGNITUDE);
        largest = IntVector.fromMemorySegment(I, ALL, at + F_BYTES, ORDER)
                .and(MAGNITUDE)
                .max(largest);
        for (long i = 2L * F_BYTES; i < SIZE * Float.BYTES; i += F_BYTES) {
            largest = IntVector.fromMemorySegment(I, ALL, at + i, ORDER)
                    .and(MAGNITUDE)
                    .max(largest);
        }
        return Float.intBitsToFloat(((IntVector) INTS.cast(largest)).reduceLanes(MAX));
    }

    /** The keys of the largest element, in the upper half, and of the smallest one, in the lower. */
    static long keys(long from) {
        long at = from & Memory.ADDRESS;
        IntVector bits = IntVector.fromMemorySegment(I, ALL, at, ORDER);
        IntVector smallest = bits.lanewise(ASHR, 31).and(MAGNITUDE).lanewise(XOR, bits);
        IntVector largest = smallest;
        for (long i = F_BYTES; i != SIZE * Float.BYTES; i += F_BYTES) {
            bits = IntVector.fromMemorySegment(I, ALL, at + i, ORDER);
            IntVector key = bits.lanewise(ASHR, 31).and(MAGNITUDE).lanewise(XOR, bits);
            smallest = key.min(smallest);
            largest = key.max(largest);
        }
        int max = ((IntVector) INTS.cast(largest)).reduceLanes(MAX);
        int min = ((IntVector) INTS.cast(smallest)).reduceLanes(MIN);
        return ((long) max << 32) | (min & 0xFFFF_FFFFL);
    }

    /** The element farthest from zero, the first of them where several are; zero if all are; may be NaN. */
    static float extreme(long from) {
        long keys = keys(from);
        int positive = Math.max(0, (int) (keys >> 32));
        int negative = Math.max(0, ~(int) keys);
        if (positive == negative) {
            return firstOf(from, positive);
        }
        return positive > negative ? Float.intBitsToFloat(positive) : -Float.intBitsToFloat(negative);
    }

    private static float firstOf(long from, int magnitude) {
        if (magnitude == 0) {
            return 0;
        }
        long at = from;
        while ((Memory.getInt(at) & MAGNITUDE) != magnitude) {
            at += Float.BYTES;
        }
        return Memory.getFloat(at);
    }

    /** The largest element, where all are numbers; the sign of a zero says nothing. */
    static float max(long keys) {
        return ofKey((int) (keys >> 32));
    }

    /** The smallest element, where all are numbers; the first of them where it is a zero, of either sign. */
    static float min(long keys, long from) {
        float min = ofKey((int) keys);
        for (int i = 0; min == 0 && i < SIZE; i++) {
            float element = Memory.getFloat(from + i * 4L);
            if (element == 0) {
                return element;
            }
        }
        return min;
    }

    private static float ofKey(int key) {
        return Float.intBitsToFloat(key ^ (key >> 31 & MAGNITUDE));
    }
}
