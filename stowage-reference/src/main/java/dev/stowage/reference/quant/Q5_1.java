package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Five bits for each of 32 elements, from the smallest up: {@code value = q * d + m}.
 *
 * <pre>
 *   byte 0      2      4                  8                            24
 *        ┌──────┬──────┬──────────────────┬────────────────────────────┐
 *        │ d    │ m    │ fifth bits of q, │ low four bits of q as      │
 *        │ f16  │ f16  │ lowest first     │ nibbles: 0|16, 1|17 …      │
 *        └──────┴──────┴──────────────────┴────────────────────────────┘
 * </pre>
 */
final class Q5_1 extends ScalarFormat {

    private static final int SIZE = 32;
    private static final int MIN = 2;
    private static final int HIGH = 4;
    private static final int LOW = 8;

    Q5_1() {
        super(ElementType.Q5_1);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at);
        float m = BlockBytes.f16(blocks, at + MIN);
        int high = BlockBytes.i32(blocks, at + HIGH);
        for (int i = 0; i < SIZE; i++) {
            int level = Nibbles.get(blocks, at + LOW, SIZE / 2, i) | (((high >>> i) & 1) << 4);
            target[from + i] = level * d + m;
        }
    }

    @Override
    BlockEncoder encoder() {
        return Q5_1::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        float min = Magnitudes.min(source, from, SIZE);
        float d = (Magnitudes.max(source, from, SIZE) - min) / 31;
        float inverse = Magnitudes.inverse(d);
        int high = 0;
        for (int i = 0; i < SIZE; i++) {
            int level = Rounding.truncate((source[from + i] - min) * inverse + 0.5f);
            Nibbles.put(blocks, at + LOW, SIZE / 2, i, level);
            high |= ((level >>> 4) & 1) << i;
        }
        BlockBytes.putF16(blocks, at, d);
        BlockBytes.putF16(blocks, at + MIN, min);
        BlockBytes.put32(blocks, at + HIGH, high);
    }
}
