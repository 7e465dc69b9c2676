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

import dev.stowage.cpu.kernel.Memory;
import dev.stowage.tensor.ElementType;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Encodes q4_0: a scale and 32 nibbles around zero. */
final class Q4_0Encoder extends RowEncoder {

    private static final int SIZE = BlockRange.SIZE;
    private static final int HALF = SIZE / 2;
    private static final int BLOCK_BYTES = 18;
    private static final int LEVELS = 2;

    private final ReferenceEncoder odd = new ReferenceEncoder(ElementType.Q4_0);

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
            float d = BlockRange.extreme(at) / -8;
            float inverse = d != 0 ? 1 / d : 0;
            if (!Float.isFinite(d) || !Float.isFinite(inverse)) {
                return at;
            }
            Memory.setHalf(block, d);
            encodeLevels(at, block + LEVELS, inverse);
            block += BLOCK_BYTES;
        }
        return end;
    }

    private static void encodeLevels(long source, long target, float inverse) {
        long from = source & Memory.ADDRESS;
        long to = target & Memory.ADDRESS;
        for (int i = 0; i != HALF; i += STEP) {
            FloatVector x = FloatVector.fromMemorySegment(F, ALL, from + i * 4L, ORDER);
            FloatVector y = FloatVector.fromMemorySegment(F, ALL, from + (HALF + i) * 4L, ORDER);
            IntVector low = ((IntVector) INTS.cast(x.mul(inverse).add(8.5f).convert(F2I, 0))).min(15);
            IntVector high = ((IntVector) INTS.cast(y.mul(inverse).add(8.5f).convert(F2I, 0))).min(15);
            ByteVector bytes =
                    (ByteVector) BYTES.cast(low.or(high.lanewise(LSHL, 4)).convertShape(I2B, B, 0));
            if (NARROW) {
                x = FloatVector.fromMemorySegment(F, ALL, from + i * 4L + F_BYTES, ORDER);
                y = FloatVector.fromMemorySegment(F, ALL, from + (HALF + i) * 4L + F_BYTES, ORDER);
                low = ((IntVector) INTS.cast(x.mul(inverse).add(8.5f).convert(F2I, 0))).min(15);
                high = ((IntVector) INTS.cast(y.mul(inverse).add(8.5f).convert(F2I, 0))).min(15);
                bytes = bytes.or(low.or(high.lanewise(LSHL, 4)).convertShape(I2B, B, -1));
            }
            bytes.intoMemorySegment(ALL, to + i, ORDER);
        }
    }
}
