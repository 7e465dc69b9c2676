package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.bits.OneBits;
import dev.stowage.reference.quant.search.AffineSearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Five bits for each of 256 elements; every 32 have a scale and a minimum, see {@link AffineBlock}.
 *
 * <pre>
 *   byte 0      2      4                    16                48                       176
 *        ┌──────┬──────┬────────────────────┬─────────────────┬────────────────────────┐
 *        │ d    │ m    │ scales and minima  │ fifth bits of q │ low four bits of q as  │
 *        │ f16  │ f16  │ 16 · 6 bits        │ 0|32|64 …       │ nibbles: 0|32, 1|33 …  │
 *        └──────┴──────┴────────────────────┴─────────────────┴────────────────────────┘
 * </pre>
 */
final class Q5_K extends ScalarFormat {

    private static final int HIGH = 16;
    private static final int LOW = 48;

    Q5_K() {
        super(ElementType.Q5_K);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        for (int first = 0; first < AffineBlock.SIZE; first += AffineBlock.GROUP) {
            float scale = AffineBlock.scale(blocks, at, first / AffineBlock.GROUP);
            float min = AffineBlock.min(blocks, at, first / AffineBlock.GROUP);
            for (int i = first; i < first + AffineBlock.GROUP; i++) {
                int low = Nibbles.get(blocks, at + LOW, AffineBlock.GROUP, i);
                target[from + i] = scale * (low | (OneBits.get(blocks, at + HIGH, i) << 4)) - min;
            }
        }
    }

    @Override
    BlockEncoder encoder() {
        AffineBlock block = new AffineBlock(31, new AffineSearch(AffineBlock.GROUP, 31, -0.5f, 0.1f, 15, true));
        return (source, from, blocks, at) -> {
            int[] levels = block.encode(source, from, blocks, at);
            for (int i = 0; i < AffineBlock.SIZE; i++) {
                Nibbles.put(blocks, at + LOW, AffineBlock.GROUP, i, levels[i]);
                OneBits.put(blocks, at + HIGH, i, levels[i] >>> 4);
            }
        };
    }
}
