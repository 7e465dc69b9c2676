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

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Decodes q4_1: 32 nibbles from the smallest up, after a scale and a minimum. */
final class Q4_1Decoder extends RowDecoder {

    private static final int SIZE = 32;
    private static final int HALF = SIZE / 2;
    private static final int BLOCK_BYTES = 20;
    private static final int MIN = 2;
    private static final int LEVELS = 4;

    @Override
    public void decode(long from, long to, long elements) {
        long block = from;
        long end = to + elements * Float.BYTES;
        for (long at = to; at < end; at += SIZE * Float.BYTES) {
            float d = Memory.getHalf(block);
            float m = Memory.getHalf(block + MIN);
            for (int i = 0; i < HALF; i += STEP) {
                ByteVector q = (ByteVector) BYTES.cast(ByteVector.fromMemorySegment(B, ALL, block + LEVELS + i, ORDER));
                ByteVector low = q.and((byte) 0xF);
                ByteVector high = ((ByteVector) BYTES.cast(((IntVector) WORDS.cast(q.reinterpretAsInts()))
                                .lanewise(LSHR, 4)
                                .reinterpretAsBytes()))
                        .and((byte) 0xF);
                long first = at + i * 4L;
                long second = first + HALF * 4L;
                ((FloatVector) FLOATS.cast(low.convertShape(B2F, F, 0)))
                        .mul(d)
                        .add(m)
                        .intoMemorySegment(ALL, first, ORDER);
                ((FloatVector) FLOATS.cast(high.convertShape(B2F, F, 0)))
                        .mul(d)
                        .add(m)
                        .intoMemorySegment(ALL, second, ORDER);
                if (NARROW) {
                    ((FloatVector) FLOATS.cast(low.convertShape(B2F, F, 1)))
                            .mul(d)
                            .add(m)
                            .intoMemorySegment(ALL, first + F_BYTES, ORDER);
                    ((FloatVector) FLOATS.cast(high.convertShape(B2F, F, 1)))
                            .mul(d)
                            .add(m)
                            .intoMemorySegment(ALL, second + F_BYTES, ORDER);
                }
            }
            block += BLOCK_BYTES;
        }
    }
}
