package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * One bit for each of 128 elements, its sign: {@code value = bit ? d : -d}, where {@code d} is the mean magnitude.
 *
 * <pre>
 *   byte 0      2                            18
 *        ┌──────┬────────────────────────────┐
 *        │ d    │ bits, lowest first         │
 *        │ f16  │ 8 elements a byte          │
 *        └──────┴────────────────────────────┘
 * </pre>
 */
final class Q1_0 extends ScalarFormat {

    private static final int SIZE = 128;
    private static final int BITS = 2;

    Q1_0() {
        super(ElementType.Q1_0);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at);
        for (int i = 0; i < SIZE; i++) {
            int bit = (BlockBytes.u8(blocks, at + BITS + i / 8) >>> (i % 8)) & 1;
            target[from + i] = bit == 1 ? d : -d;
        }
    }

    @Override
    BlockEncoder encoder() {
        return Q1_0::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        float sum = 0;
        for (int i = 0; i < SIZE; i++) {
            sum += Math.abs(source[from + i]);
            int bit = source[from + i] >= 0 ? 1 : 0;
            BlockBytes.or8(blocks, at + BITS + i / 8, bit << (i % 8));
        }
        BlockBytes.putF16(blocks, at, sum / SIZE);
    }
}
