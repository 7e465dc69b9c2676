package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Eight bits for each of 32 elements: {@code value = q * d}, with {@code q} from -127 to 127.
 *
 * <pre>
 *   byte 0      2                            34
 *        ┌──────┬────────────────────────────┐
 *        │ d    │ q                          │
 *        │ f16  │ 32 signed bytes            │
 *        └──────┴────────────────────────────┘
 * </pre>
 */
final class Q8_0 extends ScalarFormat {

    private static final int SIZE = 32;
    private static final int LEVELS = 2;

    Q8_0() {
        super(ElementType.Q8_0);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at);
        for (int i = 0; i < SIZE; i++) {
            target[from + i] = BlockBytes.s8(blocks, at + LEVELS + i) * d;
        }
    }

    @Override
    BlockEncoder encoder() {
        return Q8_0::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        float d = Magnitudes.largest(source, from, SIZE) / 127;
        float inverse = Magnitudes.inverse(d);
        BlockBytes.putF16(blocks, at, d);
        for (int i = 0; i < SIZE; i++) {
            BlockBytes.put8(blocks, at + LEVELS + i, Rounding.halfAway(source[from + i] * inverse));
        }
    }
}
