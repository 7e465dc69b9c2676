package dev.stowage.cpu.kernel.codec;

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
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.NE;

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.tensor.ElementType;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Encodes q5_1: a scale, a minimum and 32 levels of five bits from it up, the fifth bits apart. */
final class Q5_1Encoder extends RowEncoder {

    private static final int SIZE = BlockRange.SIZE;
    private static final int HALF = SIZE / 2;
    private static final int BLOCK_BYTES = 24;
    private static final int MIN = 2;
    private static final int HIGH = 4;
    private static final int LOW = 8;

    private final ReferenceEncoder odd = new ReferenceEncoder(ElementType.Q5_1);

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
            long keys = BlockRange.keys(at);
            float min = BlockRange.min(keys, at);
            float d = (BlockRange.max(keys) - min) / 31;
            float inverse = d != 0 ? 1 / d : 0;
            if (!Float.isFinite(d) || !Float.isFinite(inverse)) {
                return at;
            }
            Memory.setHalf(block, d);
            Memory.setHalf(block + MIN, min);
            Memory.setInt(block + HIGH, encodeLevels(at, block + LOW, min, inverse));
            block += BLOCK_BYTES;
        }
        return end;
    }

    /** Writes the low four bits of the levels and returns the fifth ones. */
    private static int encodeLevels(long source, long target, float min, float inverse) {
        long from = source & Memory.ADDRESS;
        long to = target & Memory.ADDRESS;
        int fifth = 0;
        for (int i = 0; i != HALF; i += STEP) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + i * 4L, ORDER);
            FloatVector y = FloatVector.fromMemorySegment(F, ALL, from + (HALF + i) * 4L, ORDER);
            IntVector low =
                    ((IntVector) INTS.cast(x.sub(min).mul(inverse).add(0.5f).convert(F2I, 0)));
            IntVector high =
                    ((IntVector) INTS.cast(y.sub(min).mul(inverse).add(0.5f).convert(F2I, 0)));
            fifth |= (int) low.and(16).compare(NE, 0).toLong() << i;
            fifth |= (int) high.and(16).compare(NE, 0).toLong() << (HALF + i);
            ByteVector bytes = (ByteVector)
                    BYTES.cast(low.and(15).or(high.lanewise(LSHL, 4)).convertShape(I2B, B, 0));
            if (NARROW) {
                x = FloatVector.fromMemorySegment(F, ALL, from + i * 4L + F_BYTES, ORDER);
                y = FloatVector.fromMemorySegment(F, ALL, from + (HALF + i) * 4L + F_BYTES, ORDER);
                low = ((IntVector) INTS.cast(x.sub(min).mul(inverse).add(0.5f).convert(F2I, 0)));
                high = ((IntVector) INTS.cast(y.sub(min).mul(inverse).add(0.5f).convert(F2I, 0)));
                fifth |= (int) low.and(16).compare(NE, 0).toLong() << (i + F.length());
                fifth |= (int) high.and(16).compare(NE, 0).toLong() << (HALF + i + F.length());
                bytes = bytes.or(low.and(15).or(high.lanewise(LSHL, 4)).convertShape(I2B, B, -1));
            }
            bytes.intoMemorySegment(ALL, to + i, ORDER);
        }
        return fifth;
    }
}
