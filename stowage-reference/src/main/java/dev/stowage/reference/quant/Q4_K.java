package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.search.AffineSearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Four bits for each of 256 elements; every 32 have a scale and a minimum, see {@link AffineBlock}.
 *
 * <pre>
 *   byte 0      2      4                    16                           144
 *        ┌──────┬──────┬────────────────────┬────────────────────────────┐
 *        │ d    │ m    │ scales and minima  │ q as nibbles in runs of    │
 *        │ f16  │ f16  │ 16 · 6 bits        │ 64: 0|32, 1|33 …           │
 *        └──────┴──────┴────────────────────┴────────────────────────────┘
 * </pre>
 */
final class Q4_K extends ScalarFormat {

    private static final int LEVELS = 16;

    Q4_K() {
        super(ElementType.Q4_K);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        for (int first = 0; first < AffineBlock.SIZE; first += AffineBlock.GROUP) {
            float scale = AffineBlock.scale(blocks, at, first / AffineBlock.GROUP);
            float min = AffineBlock.min(blocks, at, first / AffineBlock.GROUP);
            for (int i = first; i < first + AffineBlock.GROUP; i++) {
                target[from + i] = scale * Nibbles.get(blocks, at + LEVELS, AffineBlock.GROUP, i) - min;
            }
        }
    }

    @Override
    BlockEncoder encoder() {
        AffineBlock block = new AffineBlock(15, new AffineSearch(AffineBlock.GROUP, 15, -1f, 0.1f, 20, true));
        return (source, from, blocks, at) -> {
            int[] levels = block.encode(source, from, blocks, at);
            for (int i = 0; i < AffineBlock.SIZE; i++) {
                Nibbles.put(blocks, at + LEVELS, AffineBlock.GROUP, i, levels[i]);
            }
        };
    }
}
