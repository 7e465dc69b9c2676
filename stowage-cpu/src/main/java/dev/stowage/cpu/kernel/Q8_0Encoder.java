package dev.stowage.cpu.kernel;

import static dev.stowage.cpu.kernel.Lanes.B;
import static dev.stowage.cpu.kernel.Lanes.BYTES;
import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Lanes.INTS;
import static dev.stowage.cpu.kernel.Lanes.NARROW;
import static dev.stowage.cpu.kernel.Lanes.STEP;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.F2I;
import static jdk.incubator.vector.VectorOperators.I2B;

import dev.stowage.tensor.ElementType;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Encodes q8_0: a scale and 32 signed bytes. */
final class Q8_0Encoder extends RowEncoder {

    private static final int SIZE = BlockRange.SIZE;
    private static final int BLOCK_BYTES = 34;
    private static final int LEVELS = 2;

    /** The largest float below a half: added before cutting off the fraction it rounds exactly, halves away from zero. */
    private static final int ALMOST_HALF = 0x3EFF_FFFF;

    private static final int SIGN = 0x8000_0000;

    private final ReferenceEncoder odd = new ReferenceEncoder(ElementType.Q8_0);

    @Override
    public void encode(long from, long to, long elements) {
        long end = from + elements * Float.BYTES;
        long at = from;
        long block = to;
        while (at < end) {
            long next = encodeRegular(at, block, end);
            block += (next - at) / (SIZE * Float.BYTES) * BLOCK_BYTES;
            at = next;
            if (at < end) {
                odd.encode(at, block, SIZE);
                at += SIZE * Float.BYTES;
                block += BLOCK_BYTES;
            }
        }
    }

    /** Encodes up to the first block that is not for here, and returns where that begins; a method that compiles well. */
    private static long encodeRegular(long from, long to, long end) {
        long block = to;
        for (long at = from; at != end; at += SIZE * Float.BYTES) {
            float d = BlockRange.largest(at) / 127;
            float inverse = d != 0 ? 1 / d : 0;
            if (!Float.isFinite(d) || !Float.isFinite(inverse)) {
                return at;
            }
            Memory.setHalf(block, d);
            encodeLevels(at, block + LEVELS, inverse);
            encodeLevels(at + STEP * 4L, block + LEVELS + STEP, inverse);
            if (STEP < SIZE / 2) {
                encodeLevels(at + 2L * STEP * 4, block + LEVELS + 2L * STEP, inverse);
                encodeLevels(at + 3L * STEP * 4, block + LEVELS + 3L * STEP, inverse);
            }
            block += BLOCK_BYTES;
        }
        return end;
    }

    /** Writes the levels of {@link Lanes#STEP} elements. */
    private static void encodeLevels(long source, long target, float inverse) {
        long from = source & Memory.ADDRESS;
        long to = target & Memory.ADDRESS;
        FloatVector x = FloatVector.fromMemorySegment(F, ALL, from, ORDER).mul(inverse);
        IntVector half =
                ((IntVector) INTS.cast(x.reinterpretAsInts())).and(SIGN).or(ALMOST_HALF);
        IntVector q = (IntVector) INTS.cast(x.add(half.reinterpretAsFloats()).convert(F2I, 0));
        ByteVector bytes = (ByteVector) BYTES.cast(q.convertShape(I2B, B, 0));
        if (NARROW) {
            x = FloatVector.fromMemorySegment(F, ALL, from + F_BYTES, ORDER).mul(inverse);
            half = ((IntVector) INTS.cast(x.reinterpretAsInts())).and(SIGN).or(ALMOST_HALF);
            q = (IntVector) INTS.cast(x.add(half.reinterpretAsFloats()).convert(F2I, 0));
            bytes = bytes.or(q.convertShape(I2B, B, -1));
        }
        bytes.intoMemorySegment(ALL, to, ORDER);
    }
}
