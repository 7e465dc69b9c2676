package dev.stowage.cpu.kernel.codec;

import static dev.stowage.cpu.kernel.Lanes.B;
import static dev.stowage.cpu.kernel.Lanes.BYTES;
import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.FLOATS;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Lanes.NARROW;
import static dev.stowage.cpu.kernel.Lanes.STEP;
import static dev.stowage.cpu.kernel.Lanes.WORDS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.NE;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/**
 * Decodes mxfp4: 32 four-bit floats with a power of two in common. Twice such a float is a whole number, which a
 * doubling from 4 on and another from 8 on give without a table.
 */
final class Mxfp4Decoder extends RowDecoder {

    private static final int SIZE = 32;
    private static final int HALF = SIZE / 2;
    private static final int BLOCK_BYTES = 17;
    private static final int LEVELS = 1;

    @Override
    public void decode(long from, long to, long elements) {
        long block = from;
        long end = to + elements * Float.BYTES;
        for (long at = to; at < end; at += SIZE * Float.BYTES) {
            float d = halfScale(Memory.getByte(block) & 0xFF);
            for (int i = 0; i < HALF; i += STEP) {
                ByteVector q = (ByteVector) BYTES.cast(ByteVector.fromMemorySegment(B, ALL, block + LEVELS + i, ORDER));
                ByteVector shifted = ((ByteVector) BYTES.cast(((IntVector) WORDS.cast(q.reinterpretAsInts()))
                        .lanewise(LSHR, 4)
                        .reinterpretAsBytes()));
                ByteVector a = q.and((byte) 7);
                ByteVector b = shifted.and((byte) 7);
                ByteVector a2 = a.add(a).sub((byte) 4);
                ByteVector b2 = b.add(b).sub((byte) 4);
                a = a.max(a2).max(a2.add(a2).sub((byte) 8));
                b = b.max(b2).max(b2.add(b2).sub((byte) 8));
                ByteVector low = a.blend(a.neg(), q.and((byte) 8).compare(NE, 0));
                ByteVector high = b.blend(b.neg(), shifted.and((byte) 8).compare(NE, 0));
                long first = at + i * 4L;
                long second = first + HALF * 4L;
                ((FloatVector) FLOATS.cast(low.convertShape(B2F, F, 0))).mul(d).intoMemorySegment(ALL, first, ORDER);
                ((FloatVector) FLOATS.cast(high.convertShape(B2F, F, 0))).mul(d).intoMemorySegment(ALL, second, ORDER);
                if (NARROW) {
                    ((FloatVector) FLOATS.cast(low.convertShape(B2F, F, 1)))
                            .mul(d)
                            .intoMemorySegment(ALL, first + F_BYTES, ORDER);
                    ((FloatVector) FLOATS.cast(high.convertShape(B2F, F, 1)))
                            .mul(d)
                            .intoMemorySegment(ALL, second + F_BYTES, ORDER);
                }
            }
            block += BLOCK_BYTES;
        }
    }

    /** Half of 2^(e - 127), since the numbers it goes with are doubled; the first two are subnormal. */
    private static float halfScale(int e) {
        return Float.intBitsToFloat(e < 2 ? 0x0020_0000 << e : (e - 1) << 23);
    }
}
