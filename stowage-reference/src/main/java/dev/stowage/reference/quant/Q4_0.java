package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Four bits for each of 32 elements, around zero: {@code value = (q - 8) * d}. The element farthest from zero gets
 * {@code q = 0}, so {@code d} has the other sign than that element.
 *
 * <pre>
 *   byte 0      2                            18
 *        ┌──────┬────────────────────────────┐
 *        │ d    │ q as nibbles: 0|16, 1|17 … │
 *        │ f16  │ 2 elements a byte          │
 *        └──────┴────────────────────────────┘
 * </pre>
 */
final class Q4_0 extends ScalarFormat {

    private static final int SIZE = 32;
    private static final int LEVELS = 2;

    Q4_0() {
        super(ElementType.Q4_0);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at);
        for (int i = 0; i < SIZE; i++) {
            target[from + i] = (Nibbles.get(blocks, at + LEVELS, SIZE / 2, i) - 8) * d;
        }
    }

    @Override
    BlockEncoder encoder() {
        return Q4_0::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        float d = Magnitudes.extreme(source, from, SIZE) / -8;
        float inverse = Magnitudes.inverse(d);
        BlockBytes.putF16(blocks, at, d);
        for (int i = 0; i < SIZE; i++) {
            int level = Math.min(15, Rounding.truncate(source[from + i] * inverse + 8.5f));
            Nibbles.put(blocks, at + LEVELS, SIZE / 2, i, level);
        }
    }
}
