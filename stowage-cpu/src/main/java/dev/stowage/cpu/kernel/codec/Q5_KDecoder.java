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
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.LSHR;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;

/** Decodes q5_K: 256 levels of five bits, of which every 32 have a scale and a minimum. */
final class Q5_KDecoder extends RowDecoder {

    private static final int SIZE = 256;
    private static final int GROUP = 32;
    private static final int BLOCK_BYTES = 176;
    private static final int HIGH = 16;
    private static final int LOW = 48;

    @Override
    public void decode(long from, long to, long elements) {
        long block = from;
        long end = to + elements * Float.BYTES;
        for (long at = to; at < end; at += SIZE * Float.BYTES) {
            decodeBlock(block, at);
            block += BLOCK_BYTES;
        }
    }

    private static void decodeBlock(long block, long to) {
        float d = Memory.getHalf(block);
        float m = Memory.getHalf(block + 2);
        long scales = PackedScales.scales(block + 4);
        long mins = PackedScales.mins(block + 4);
        for (int pair = 0; pair < SIZE / GROUP / 2; pair++) {
            float lowScale = d * ((int) scales & 0x3F);
            float lowMin = m * ((int) mins & 0x3F);
            float highScale = d * ((int) (scales >>> 8) & 0x3F);
            float highMin = m * ((int) (mins >>> 8) & 0x3F);
            scales >>>= 16;
            mins >>>= 16;
            for (int i = 0; i < GROUP; i += STEP) {
                ByteVector q = (ByteVector)
                        BYTES.cast(ByteVector.fromMemorySegment(B, ALL, block + LOW + (long) pair * GROUP + i, ORDER));
                IntVector h = ((IntVector) WORDS.cast(
                                ((ByteVector) BYTES.cast(ByteVector.fromMemorySegment(B, ALL, block + HIGH + i, ORDER)))
                                        .reinterpretAsInts()))
                        .lanewise(LSHR, 2 * pair);
                ByteVector low = q.and((byte) 0xF)
                        .or(((ByteVector) BYTES.cast(h.lanewise(LSHL, 4).reinterpretAsBytes())).and((byte) 0x10));
                ByteVector high = ((ByteVector) BYTES.cast(((IntVector) WORDS.cast(q.reinterpretAsInts()))
                                .lanewise(LSHR, 4)
                                .reinterpretAsBytes()))
                        .and((byte) 0xF)
                        .or(((ByteVector) BYTES.cast(h.lanewise(LSHL, 3).reinterpretAsBytes())).and((byte) 0x10));
                long first = to + (pair * 2L * GROUP + i) * 4;
                long second = first + GROUP * 4L;
                ((FloatVector) FLOATS.cast(low.convertShape(B2F, F, 0)))
                        .mul(lowScale)
                        .sub(lowMin)
                        .intoMemorySegment(ALL, first, ORDER);
                ((FloatVector) FLOATS.cast(high.convertShape(B2F, F, 0)))
                        .mul(highScale)
                        .sub(highMin)
                        .intoMemorySegment(ALL, second, ORDER);
                if (NARROW) {
                    ((FloatVector) FLOATS.cast(low.convertShape(B2F, F, 1)))
                            .mul(lowScale)
                            .sub(lowMin)
                            .intoMemorySegment(ALL, first + F_BYTES, ORDER);
                    ((FloatVector) FLOATS.cast(high.convertShape(B2F, F, 1)))
                            .mul(highScale)
                            .sub(highMin)
                            .intoMemorySegment(ALL, second + F_BYTES, ORDER);
                }
            }
        }
    }
}
