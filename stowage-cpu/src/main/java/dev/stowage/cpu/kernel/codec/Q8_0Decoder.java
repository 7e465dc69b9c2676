package dev.stowage.cpu.kernel.codec;

import static dev.stowage.cpu.kernel.Lanes.B;
import static dev.stowage.cpu.kernel.Lanes.BYTES;
import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.FLOATS;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Lanes.NARROW;
import static dev.stowage.cpu.kernel.Lanes.STEP;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.B2F;

import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;

/** Decodes q8_0, 32 signed bytes after a scale, and q8_1, which has a sum between the two. */
final class Q8_0Decoder extends RowDecoder {

    private static final int SIZE = 32;

    private final int levels;

    /** @param levels where in a block its bytes begin */
    Q8_0Decoder(int levels) {
        this.levels = levels;
    }

    @Override
    public void decode(long from, long to, long elements) {
        decode(from, to, elements, levels);
    }

    private static void decode(long from, long to, long elements, int levels) {
        long block = from;
        long end = to + elements * Float.BYTES;
        for (long at = to; at < end; at += SIZE * Float.BYTES) {
            float d = Memory.getHalf(block);
            for (int i = 0; i < SIZE; i += STEP) {
                ByteVector q = (ByteVector) BYTES.cast(ByteVector.fromMemorySegment(B, ALL, block + levels + i, ORDER));
                ((FloatVector) FLOATS.cast(q.convertShape(B2F, F, 0)))
                        .mul(d)
                        .intoMemorySegment(ALL, at + i * 4L, ORDER);
                if (NARROW) {
                    ((FloatVector) FLOATS.cast(q.convertShape(B2F, F, 1)))
                            .mul(d)
                            .intoMemorySegment(ALL, at + i * 4L + F_BYTES, ORDER);
                }
            }
            block += levels + SIZE;
        }
    }
}
