package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Four bits for each of 32 elements, from the smallest up: {@code value = q * d + m}.
 *
 * <pre>
 *   byte 0      2      4                            20
 *        ┌──────┬──────┬────────────────────────────┐
 *        │ d    │ m    │ q as nibbles: 0|16, 1|17 … │
 *        │ f16  │ f16  │ 2 elements a byte          │
 *        └──────┴──────┴────────────────────────────┘
 * </pre>
 */
final class Q4_1 extends ScalarFormat {

    private static final int SIZE = 32;
    private static final int MIN = 2;
    private static final int LEVELS = 4;

    Q4_1() {
        super(ElementType.Q4_1);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at);
        float m = BlockBytes.f16(blocks, at + MIN);
        for (int i = 0; i < SIZE; i++) {
            target[from + i] = Nibbles.get(blocks, at + LEVELS, SIZE / 2, i) * d + m;
        }
    }

    @Override
    BlockEncoder encoder() {
        return Q4_1::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        float min = Magnitudes.min(source, from, SIZE);
        float d = (Magnitudes.max(source, from, SIZE) - min) / 15;
        float inverse = Magnitudes.inverse(d);
        BlockBytes.putF16(blocks, at, d);
        BlockBytes.putF16(blocks, at + MIN, min);
        for (int i = 0; i < SIZE; i++) {
            int level = Math.min(15, Rounding.truncate((source[from + i] - min) * inverse + 0.5f));
            Nibbles.put(blocks, at + LEVELS, SIZE / 2, i, level);
        }
    }
}
