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

/**
 * Decodes q2_K: 256 levels of two bits, of which every 16 have a scale and a minimum of four bits each. A byte serves
 * four elements that are 32 apart.
 */
final class Q2_KDecoder extends RowDecoder {

    private static final int SIZE = 256;
    private static final int RUN = SIZE / 2;
    private static final int QUARTER = RUN / 4;
    private static final int BLOCK_BYTES = 84;
    private static final int LEVELS = 16;
    private static final int SCALE = 80;
    private static final int MIN = 82;

    @Override
    public void decode(long from, long to, long elements) {
        long block = from;
        long end = to + elements * Float.BYTES;
        for (long at = to; at < end; at += SIZE * Float.BYTES) {
            float d = Memory.getHalf(block + SCALE);
            float m = Memory.getHalf(block + MIN);
            decodeRun(block + LEVELS, block, d, m, at);
            decodeRun(block + LEVELS + QUARTER, block + 8, d, m, at + RUN * 4L);
            block += BLOCK_BYTES;
        }
    }

    private static void decodeRun(long levels, long codes, float d, float m, long to) {
        for (int i = 0; i < QUARTER; i += STEP) {
            ByteVector q = (ByteVector) BYTES.cast(ByteVector.fromMemorySegment(B, ALL, levels + i, ORDER));
            IntVector bits = (IntVector) WORDS.cast(q.reinterpretAsInts());
            ByteVector q0 = q.and((byte) 3);
            ByteVector q1 = ((ByteVector) BYTES.cast(bits.lanewise(LSHR, 2).reinterpretAsBytes())).and((byte) 3);
            ByteVector q2 = ((ByteVector) BYTES.cast(bits.lanewise(LSHR, 4).reinterpretAsBytes())).and((byte) 3);
            ByteVector q3 = ((ByteVector) BYTES.cast(bits.lanewise(LSHR, 6).reinterpretAsBytes())).and((byte) 3);
            // The bytes of every second group: those of the 16 elements that this half of each 32 belongs to.
            long code = Memory.getLong(codes) >>> (i / 16 * 8);
            float s0 = d * ((int) code & 0xF);
            float m0 = m * ((int) (code >>> 4) & 0xF);
            float s1 = d * ((int) (code >>> 16) & 0xF);
            float m1 = m * ((int) (code >>> 20) & 0xF);
            float s2 = d * ((int) (code >>> 32) & 0xF);
            float m2 = m * ((int) (code >>> 36) & 0xF);
            float s3 = d * ((int) (code >>> 48) & 0xF);
            float m3 = m * ((int) (code >>> 52) & 0xF);
            long at = to + i * 4L;
            ((FloatVector) FLOATS.cast(q0.convertShape(B2F, F, 0)))
                    .mul(s0)
                    .sub(m0)
                    .intoMemorySegment(ALL, at, ORDER);
            ((FloatVector) FLOATS.cast(q1.convertShape(B2F, F, 0)))
                    .mul(s1)
                    .sub(m1)
                    .intoMemorySegment(ALL, at + QUARTER * 4L, ORDER);
            ((FloatVector) FLOATS.cast(q2.convertShape(B2F, F, 0)))
                    .mul(s2)
                    .sub(m2)
                    .intoMemorySegment(ALL, at + QUARTER * 8L, ORDER);
            ((FloatVector) FLOATS.cast(q3.convertShape(B2F, F, 0)))
                    .mul(s3)
                    .sub(m3)
                    .intoMemorySegment(ALL, at + QUARTER * 12L, ORDER);
            if (NARROW) {
                long then = at + F_BYTES;
                ((FloatVector) FLOATS.cast(q0.convertShape(B2F, F, 1)))
                        .mul(s0)
                        .sub(m0)
                        .intoMemorySegment(ALL, then, ORDER);
                ((FloatVector) FLOATS.cast(q1.convertShape(B2F, F, 1)))
                        .mul(s1)
                        .sub(m1)
                        .intoMemorySegment(ALL, then + QUARTER * 4L, ORDER);
                ((FloatVector) FLOATS.cast(q2.convertShape(B2F, F, 1)))
                        .mul(s2)
                        .sub(m2)
                        .intoMemorySegment(ALL, then + QUARTER * 8L, ORDER);
                ((FloatVector) FLOATS.cast(q3.convertShape(B2F, F, 1)))
                        .mul(s3)
                        .sub(m3)
                        .intoMemorySegment(ALL, then + QUARTER * 12L, ORDER);
            }
        }
    }
}
