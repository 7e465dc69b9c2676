package dev.stowage.cpu.kernel.codec;

import static dev.stowage.cpu.kernel.Lanes.B;
import static dev.stowage.cpu.kernel.Lanes.BYTES;
import static dev.stowage.cpu.kernel.Lanes.F;
import static dev.stowage.cpu.kernel.Lanes.FLOATS;
import static dev.stowage.cpu.kernel.Lanes.F_BYTES;
import static dev.stowage.cpu.kernel.Lanes.I;
import static dev.stowage.cpu.kernel.Lanes.INTS;
import static dev.stowage.cpu.kernel.Lanes.NARROW;
import static dev.stowage.cpu.kernel.Lanes.STEP;
import static dev.stowage.cpu.kernel.Lanes.WORDS;
import static dev.stowage.cpu.kernel.Memory.ALL;
import static dev.stowage.cpu.kernel.Memory.ORDER;
import static jdk.incubator.vector.VectorOperators.B2I;
import static jdk.incubator.vector.VectorOperators.I2F;
import static jdk.incubator.vector.VectorOperators.LSHR;
import static jdk.incubator.vector.VectorOperators.NE;

import dev.stowage.cpu.kernel.Lanes;
import dev.stowage.cpu.kernel.Memory;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;

/**
 * Decodes q5_1: 32 levels of five bits from the smallest up, after a scale and a minimum. The fifth bits are
 * together in an int; each lane looks at its own.
 */
final class Q5_1Decoder extends RowDecoder {

    private static final int SIZE = 32;
    private static final int HALF = SIZE / 2;
    private static final int BLOCK_BYTES = 24;
    private static final int MIN = 2;
    private static final int HIGH = 4;
    private static final int LOW = 8;

    @Override
    public void decode(long from, long to, long elements) {
        IntVector bit = (IntVector) INTS.cast(Lanes.BIT_OF_LANE);
        long block = from;
        long end = to + elements * Float.BYTES;
        for (long at = to; at < end; at += SIZE * Float.BYTES) {
            float d = Memory.getHalf(block);
            float m = Memory.getHalf(block + MIN);
            int fifth = Memory.getInt(block + HIGH);
            for (int i = 0; i < HALF; i += STEP) {
                ByteVector q = (ByteVector) BYTES.cast(ByteVector.fromMemorySegment(B, ALL, block + LOW + i, ORDER));
                ByteVector low = q.and((byte) 0xF);
                ByteVector high = ((ByteVector) BYTES.cast(((IntVector) WORDS.cast(q.reinterpretAsInts()))
                                .lanewise(LSHR, 4)
                                .reinterpretAsBytes()))
                        .and((byte) 0xF);
                VectorMask<Integer> inLow = bit.and(fifth >>> i).compare(NE, 0);
                VectorMask<Integer> inHigh = bit.and(fifth >>> (HALF + i)).compare(NE, 0);
                IntVector lows = ((IntVector) INTS.cast(low.convertShape(B2I, I, 0))).add(16, inLow);
                IntVector highs = ((IntVector) INTS.cast(high.convertShape(B2I, I, 0))).add(16, inHigh);
                long first = at + i * 4L;
                long second = first + HALF * 4L;
                ((FloatVector) FLOATS.cast(lows.convert(I2F, 0))).mul(d).add(m).intoMemorySegment(ALL, first, ORDER);
                ((FloatVector) FLOATS.cast(highs.convert(I2F, 0))).mul(d).add(m).intoMemorySegment(ALL, second, ORDER);
                if (NARROW) {
                    inLow = bit.and(fifth >>> (i + F.length())).compare(NE, 0);
                    inHigh = bit.and(fifth >>> (HALF + i + F.length())).compare(NE, 0);
                    lows = ((IntVector) INTS.cast(low.convertShape(B2I, I, 1))).add(16, inLow);
                    highs = ((IntVector) INTS.cast(high.convertShape(B2I, I, 1))).add(16, inHigh);
                    ((FloatVector) FLOATS.cast(lows.convert(I2F, 0)))
                            .mul(d)
                            .add(m)
                            .intoMemorySegment(ALL, first + F_BYTES, ORDER);
                    ((FloatVector) FLOATS.cast(highs.convert(I2F, 0)))
                            .mul(d)
                            .add(m)
                            .intoMemorySegment(ALL, second + F_BYTES, ORDER);
                }
            }
            block += BLOCK_BYTES;
        }
    }
}
