package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Five bits for each of 32 elements, around zero: {@code value = (q - 16) * d}. The element farthest from zero gets
 * {@code q = 0}, so {@code d} has the other sign than that element.
 *
 * <pre>
 *   byte 0      2                  6                            22
 *        ┌──────┬──────────────────┬────────────────────────────┐
 *        │ d    │ fifth bits of q, │ low four bits of q as      │
 *        │ f16  │ lowest first     │ nibbles: 0|16, 1|17 …      │
 *        └──────┴──────────────────┴────────────────────────────┘
 * </pre>
 */
final class Q5_0 extends ScalarFormat {

    private static final int SIZE = 32;
    private static final int HIGH = 2;
    private static final int LOW = 6;

    Q5_0() {
        super(ElementType.Q5_0);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at);
        int high = BlockBytes.i32(blocks, at + HIGH);
        for (int i = 0; i < SIZE; i++) {
            int level = Nibbles.get(blocks, at + LOW, SIZE / 2, i) | (((high >>> i) & 1) << 4);
            target[from + i] = (level - 16) * d;
        }
    }

    @Override
    BlockEncoder encoder() {
        return Q5_0::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        float d = Magnitudes.extreme(source, from, SIZE) / -16;
        float inverse = Magnitudes.inverse(d);
        int high = 0;
        for (int i = 0; i < SIZE; i++) {
            int level = Math.min(31, Rounding.truncate(source[from + i] * inverse + 16.5f));
            Nibbles.put(blocks, at + LOW, SIZE / 2, i, level);
            high |= ((level >>> 4) & 1) << i;
        }
        BlockBytes.putF16(blocks, at, d);
        BlockBytes.put32(blocks, at + HIGH, high);
    }
}
