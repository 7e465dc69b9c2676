package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.reference.quant.search.NonLinearLevels;
import dev.stowage.reference.quant.search.NonLinearSearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Four bits for each of 32 elements, which choose one of the unevenly spaced levels of {@link NonLinearLevels}:
 * {@code value = d * level(q)}.
 *
 * <pre>
 *   byte 0      2                            18
 *        ┌──────┬────────────────────────────┐
 *        │ d    │ q as nibbles: 0|16, 1|17 … │
 *        │ f16  │ 2 elements a byte          │
 *        └──────┴────────────────────────────┘
 * </pre>
 *
 * <p>In a block of zeros ggml leaves the levels as they happen to be; here they are those nearest to zero.
 */
final class IQ4_NL extends ScalarFormat {

    private static final int SIZE = 32;
    private static final int LEVELS = 2;

    IQ4_NL() {
        super(ElementType.IQ4_NL);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at);
        for (int i = 0; i < SIZE; i++) {
            target[from + i] = d * NonLinearLevels.level(Nibbles.get(blocks, at + LEVELS, SIZE / 2, i));
        }
    }

    @Override
    BlockEncoder encoder() {
        NonLinearSearch search = new NonLinearSearch();
        return (source, from, blocks, at) -> {
            float extreme = Magnitudes.extreme(source, from, SIZE);
            if (Math.abs(extreme) < Magnitudes.TINY) {
                putLevels(source, from, 0, blocks, at);
                return;
            }
            float inverse = 1 / (extreme / NonLinearLevels.level(0));
            search.divide(source, from, inverse);
            BlockBytes.putF16(blocks, at, search.scale());
            putLevels(source, from, inverse, blocks, at);
        };
    }

    private static void putLevels(float[] source, int from, float inverse, MemorySegment blocks, long at) {
        for (int i = 0; i < SIZE; i++) {
            Nibbles.put(blocks, at + LEVELS, SIZE / 2, i, NonLinearLevels.nearest(inverse * source[from + i]));
        }
    }
}
