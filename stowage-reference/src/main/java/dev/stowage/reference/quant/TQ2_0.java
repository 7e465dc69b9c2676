package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.bits.TwoBits;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Weights that are -1, 0 or 1 times a scale, 256 to a block at two bits each: {@code value = (q - 1) * d}.
 *
 * <pre>
 *   byte 0                            64     66
 *        ┌────────────────────────────┬──────┐
 *        │ q, two bits each in runs   │ d    │
 *        │ of 128: 0|32|64|96 …       │ f16  │
 *        └────────────────────────────┴──────┘
 * </pre>
 */
final class TQ2_0 extends ScalarFormat {

    private static final int SIZE = 256;
    private static final int SCALE = 64;

    TQ2_0() {
        super(ElementType.TQ2_0);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at + SCALE);
        for (int i = 0; i < SIZE; i++) {
            target[from + i] = (TwoBits.get(blocks, at, i) - 1) * d;
        }
    }

    @Override
    BlockEncoder encoder() {
        return TQ2_0::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        float d = Magnitudes.largest(source, from, SIZE);
        float inverse = Magnitudes.inverse(d);
        BlockBytes.putF16(blocks, at + SCALE, d);
        for (int i = 0; i < SIZE; i++) {
            TwoBits.put(blocks, at, i, Rounding.halfAway(source[from + i] * inverse) + 1);
        }
    }
}
