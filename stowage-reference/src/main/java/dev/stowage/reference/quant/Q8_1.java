package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * As {@link Q8_0}, with the sum of the block beside the scale: {@code value = q * d} and {@code s = d * sum of q}.
 * ggml has it for one side of a dot product only and never converts it back into floats; here that works as for any
 * other type.
 *
 * <pre>
 *   byte 0      2      4                            36
 *        ┌──────┬──────┬────────────────────────────┐
 *        │ d    │ s    │ q                          │
 *        │ f16  │ f16  │ 32 signed bytes            │
 *        └──────┴──────┴────────────────────────────┘
 * </pre>
 */
final class Q8_1 extends ScalarFormat {

    private static final int SIZE = 32;
    private static final int SUM = 2;
    private static final int LEVELS = 4;

    Q8_1() {
        super(ElementType.Q8_1);
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
        return Q8_1::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        float d = Magnitudes.largest(source, from, SIZE) / 127;
        float inverse = Magnitudes.inverse(d);
        int sum = 0;
        for (int i = 0; i < SIZE; i++) {
            byte level = (byte) Rounding.halfAway(source[from + i] * inverse);
            BlockBytes.put8(blocks, at + LEVELS + i, level);
            sum += level;
        }
        BlockBytes.putF16(blocks, at, d);
        BlockBytes.putF16(blocks, at + SUM, sum * d);
    }
}
