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
 * Decodes q6_K: 256 levels of six bits around zero, of which every 16 have a scale. In each half of a block, a byte of
 * the upper bits serves four elements that are 32 apart.
 */
final class Q6_KDecoder extends RowDecoder {

    private static final int SIZE = 256;
    private static final int RUN = SIZE / 2;
    private static final int QUARTER = RUN / 4;
    private static final int BLOCK_BYTES = 210;
    private static final int HIGH = 128;
    private static final int SCALES = 192;
    private static final int SCALE = 208;
    private static final byte ZERO = 32;

    @Override
    public void decode(long from, long to, long elements) {
        long block = from;
        long end = to + elements * Float.BYTES;
        for (long at = to; at < end; at += SIZE * Float.BYTES) {
            float d = Memory.getHalf(block + SCALE);
            decodeRun(block, block + HIGH, block + SCALES, d, at);
            decodeRun(block + RUN / 2, block + HIGH + QUARTER, block + SCALES + 8, d, at + RUN * 4L);
            block += BLOCK_BYTES;
        }
    }

    private static void decodeRun(long low, long high, long scales, float d, long to) {
        for (int i = 0; i < QUARTER; i += STEP) {
            // Read before there are vectors: once a method is large the compiler takes no others into it.
            long scale = scales + i / 16;
            float s0 = d * Memory.getByte(scale);
            float s1 = d * Memory.getByte(scale + 2);
            float s2 = d * Memory.getByte(scale + 4);
            float s3 = d * Memory.getByte(scale + 6);
            ByteVector a = (ByteVector) BYTES.cast(ByteVector.fromMemorySegment(B, ALL, low + i, ORDER));
            ByteVector b = (ByteVector) BYTES.cast(ByteVector.fromMemorySegment(B, ALL, low + QUARTER + i, ORDER));
            IntVector h = ((IntVector)
                    WORDS.cast(((ByteVector) BYTES.cast(ByteVector.fromMemorySegment(B, ALL, high + i, ORDER)))
                            .reinterpretAsInts()));
            ByteVector q0 = a.and((byte) 0xF)
                    .or(((ByteVector) BYTES.cast(h.lanewise(LSHL, 4).reinterpretAsBytes())).and((byte) 0x30))
                    .sub(ZERO);
            ByteVector q1 = b.and((byte) 0xF)
                    .or(((ByteVector) BYTES.cast(h.lanewise(LSHL, 2).reinterpretAsBytes())).and((byte) 0x30))
                    .sub(ZERO);
            ByteVector q2 = ((ByteVector) BYTES.cast(((IntVector) WORDS.cast(a.reinterpretAsInts()))
                            .lanewise(LSHR, 4)
                            .reinterpretAsBytes()))
                    .and((byte) 0xF)
                    .or(((ByteVector) BYTES.cast(h.reinterpretAsBytes())).and((byte) 0x30))
                    .sub(ZERO);
            ByteVector q3 = ((ByteVector) BYTES.cast(((IntVector) WORDS.cast(b.reinterpretAsInts()))
                            .lanewise(LSHR, 4)
                            .reinterpretAsBytes()))
                    .and((byte) 0xF)
                    .or(((ByteVector) BYTES.cast(h.lanewise(LSHR, 2).reinterpretAsBytes())).and((byte) 0x30))
                    .sub(ZERO);
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
