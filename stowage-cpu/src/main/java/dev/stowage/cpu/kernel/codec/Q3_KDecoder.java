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

/**
 * Decodes q3_K: 256 levels of three bits around zero, of which every 16 have a scale of six bits. A byte of the low bits
 * serves four elements that are 32 apart, one of the third bits eight.
 */
final class Q3_KDecoder extends RowDecoder {

    private static final int SIZE = 256;
    private static final int RUN = SIZE / 2;
    private static final int QUARTER = RUN / 4;
    private static final int BLOCK_BYTES = 110;
    private static final int LOW = 32;
    private static final int SCALES = 96;
    private static final int SCALE = 108;
    private static final byte ZERO = 4;

    @Override
    public void decode(long from, long to, long elements) {
        long block = from;
        long end = to + elements * Float.BYTES;
        for (long at = to; at < end; at += SIZE * Float.BYTES) {
            float d = Memory.getHalf(block + SCALE);
            long low = Memory.getLong(block + SCALES);
            long high = Memory.getInt(block + SCALES + 8) & 0xFFFF_FFFFL;
            // High bits of the scales 0 to 3 are bits 0 and 1 of the four bytes, those of 4 to 7 are bits 2 and 3 ...
            long upper = high | (high >>> 2) << 32;
            long first = (low & 0x0F0F_0F0F_0F0F_0F0FL) | (upper & 0x0303_0303_0303_0303L) << 4;
            long second = (low >>> 4 & 0x0F0F_0F0F_0F0F_0F0FL) | (upper >>> 4 & 0x0303_0303_0303_0303L) << 4;
            decodeRun(block + LOW, block, 0, first, d, at);
            decodeRun(block + LOW + QUARTER, block, 4, second, d, at + RUN * 4L);
            block += BLOCK_BYTES;
        }
    }

    private static void decodeRun(long levels, long thirds, int shift, long scales, float d, long to) {
        for (int i = 0; i < QUARTER; i += STEP) {
            IntVector bits = ((IntVector)
                    WORDS.cast(((ByteVector) BYTES.cast(ByteVector.fromMemorySegment(B, ALL, levels + i, ORDER)))
                            .reinterpretAsInts()));
            IntVector h = ((IntVector) WORDS.cast(
                            ((ByteVector) BYTES.cast(ByteVector.fromMemorySegment(B, ALL, thirds + i, ORDER)))
                                    .reinterpretAsInts()))
                    .lanewise(LSHR, shift);
            ByteVector q0 = ((ByteVector) BYTES.cast(bits.reinterpretAsBytes()))
                    .and((byte) 3)
                    .or(((ByteVector) BYTES.cast(h.lanewise(LSHL, 2).reinterpretAsBytes())).and(ZERO))
                    .sub(ZERO);
            ByteVector q1 = ((ByteVector) BYTES.cast(bits.lanewise(LSHR, 2).reinterpretAsBytes()))
                    .and((byte) 3)
                    .or(((ByteVector) BYTES.cast(h.lanewise(LSHL, 1).reinterpretAsBytes())).and(ZERO))
                    .sub(ZERO);
            ByteVector q2 = ((ByteVector) BYTES.cast(bits.lanewise(LSHR, 4).reinterpretAsBytes()))
                    .and((byte) 3)
                    .or(((ByteVector) BYTES.cast(h.reinterpretAsBytes())).and(ZERO))
                    .sub(ZERO);
            ByteVector q3 = ((ByteVector) BYTES.cast(bits.lanewise(LSHR, 6).reinterpretAsBytes()))
                    .and((byte) 3)
                    .or(((ByteVector) BYTES.cast(h.lanewise(LSHR, 1).reinterpretAsBytes())).and(ZERO))
                    .sub(ZERO);
            long code = scales >>> (i / 16 * 8);
            float s0 = d * (((int) code & 0x3F) - 32);
            float s1 = d * (((int) (code >>> 16) & 0x3F) - 32);
            float s2 = d * (((int) (code >>> 32) & 0x3F) - 32);
            float s3 = d * (((int) (code >>> 48) & 0x3F) - 32);
            long at = to + i * 4L;
            ((FloatVector) FLOATS.cast(q0.convertShape(B2F, F, 0))).mul(s0).intoMemorySegment(ALL, at, ORDER);
            ((FloatVector) FLOATS.cast(q1.convertShape(B2F, F, 0)))
                    .mul(s1)
                    .intoMemorySegment(ALL, at + QUARTER * 4L, ORDER);
            ((FloatVector) FLOATS.cast(q2.convertShape(B2F, F, 0)))
                    .mul(s2)
                    .intoMemorySegment(ALL, at + QUARTER * 8L, ORDER);
            ((FloatVector) FLOATS.cast(q3.convertShape(B2F, F, 0)))
                    .mul(s3)
                    .intoMemorySegment(ALL, at + QUARTER * 12L, ORDER);
            if (NARROW) {
                long then = at + F_BYTES;
                ((FloatVector) FLOATS.cast(q0.convertShape(B2F, F, 1))).mul(s0).intoMemorySegment(ALL, then, ORDER);
                ((FloatVector) FLOATS.cast(q1.convertShape(B2F, F, 1)))
                        .mul(s1)
                        .intoMemorySegment(ALL, then + QUARTER * 4L, ORDER);
                ((FloatVector) FLOATS.cast(q2.convertShape(B2F, F, 1)))
                        .mul(s2)
                        .intoMemorySegment(ALL, then + QUARTER * 8L, ORDER);
                ((FloatVector) FLOATS.cast(q3.convertShape(B2F, F, 1)))
                        .mul(s3)
                        .intoMemorySegment(ALL, then + QUARTER * 12L, ORDER);
            }
        }
    }
}
