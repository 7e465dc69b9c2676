package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Two bits for each of 64 elements: {@code value = (q - 1) * d}, so -d, 0, d or 2·d. Quantising takes the largest
 * magnitude for {@code d} and so never uses the last.
 *
 * <pre>
 *   byte 0      2                            18
 *        ┌──────┬────────────────────────────┐
 *        │ d    │ q, lowest bits first       │
 *        │ f16  │ 4 elements a byte          │
 *        └──────┴────────────────────────────┘
 * </pre>
 */
final class Q2_0 extends ScalarFormat {

    private static final int SIZE = 64;
    private static final int LEVELS = 2;

    Q2_0() {
        super(ElementType.Q2_0);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at);
        for (int i = 0; i < SIZE; i++) {
            int level = (BlockBytes.u8(blocks, at + LEVELS + i / 4) >>> (i % 4 * 2)) & 3;
            target[from + i] = (level - 1) * d;
        }
    }

    @Override
    BlockEncoder encoder() {
        return Q2_0::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        float d = Magnitudes.largest(source, from, SIZE);
        float inverse = Magnitudes.inverse(d);
        BlockBytes.putF16(blocks, at, d);
        for (int i = 0; i < SIZE; i++) {
            int level = Math.clamp(Rounding.halfAway(source[from + i] * inverse) + 1, 0, 3);
            BlockBytes.or8(blocks, at + LEVELS + i / 4, level << (i % 4 * 2));
        }
    }
}
