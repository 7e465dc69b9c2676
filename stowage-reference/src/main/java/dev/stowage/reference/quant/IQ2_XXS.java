package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Signs;
import dev.stowage.reference.quant.search.Codebook;
import dev.stowage.reference.quant.search.LatticeSearch;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.reference.quant.search.NonNegativeScaleSearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Two bits and a sixteenth for each of 256 elements: every eight are one of 256 points, with seven bits of sign; every
 * 32 have a scale of four bits. {@code value = d * (scale + 1/2) / 4 * magnitude}, where a magnitude is 8, 25 or 43.
 *
 * <pre>
 *   byte 0      2                        10               58                       66
 *        ┌──────┬────────────────────────┬─────   …   ────┬────────────────────────┐
 *        │ d    │ elements 0…31          │                │ elements 224…255       │
 *        │ f16  │                        │                │                        │
 *        └──────┴────────────────────────┴─────   …   ────┴────────────────────────┘
 *                 4 bytes: number of each point
 *                 4 bytes: bits 0…27 signs, 7 for each point; bits 28…31 scale
 * </pre>
 */
final class IQ2_XXS extends LatticeFormat {

    private static final int GROUP = 32;
    private static final long GROUP_BYTES = 8;
    private static final int POINTS = 2;
    private static final int SIGNS = 6;
    private static final int SCALE_BIT = 28;

    IQ2_XXS() {
        super(ElementType.IQ2_XXS, Codebook.IQ2_XXS, new int[] {8, 25, 43}, GROUP);
    }

    @Override
    int number(MemorySegment blocks, long at, int point) {
        return BlockBytes.u8(blocks, at + POINTS + point / 4 * GROUP_BYTES + point % 4);
    }

    @Override
    void putNumber(MemorySegment blocks, long at, int point, int number) {
        BlockBytes.put8(blocks, at + POINTS + point / 4 * GROUP_BYTES + point % 4, number);
    }

    @Override
    int signs(MemorySegment blocks, long at, int eight) {
        int bits = BlockBytes.i32(blocks, at + SIGNS + eight / 4 * GROUP_BYTES);
        return Signs.fromSeven((bits >>> (eight % 4 * 7)) & 0x7F);
    }

    @Override
    void putSigns(MemorySegment blocks, long at, int eight, int signs) {
        BlockBytes.or32(blocks, at + SIGNS + eight / 4 * GROUP_BYTES, (signs & 0x7F) << (eight % 4 * 7));
    }

    @Override
    int scaleCode(MemorySegment blocks, long at, int group) {
        return BlockBytes.i32(blocks, at + SIGNS + group * GROUP_BYTES) >>> SCALE_BIT;
    }

    @Override
    void putScaleCode(MemorySegment blocks, long at, int group, int code) {
        BlockBytes.or32(blocks, at + SIGNS + group * GROUP_BYTES, code << SCALE_BIT);
    }

    @Override
    float scale(float d, int code) {
        return d * (0.5f + code) * 0.25f;
    }

    @Override
    BlockEncoder encoder() {
        LatticeSearch search = new LatticeSearch(Codebook.IQ2_XXS, GROUP, 6, 0.1f, LatticeSearch.Again.ALL);
        return new Encoder(this, search);
    }

    private static final class Encoder extends LatticeEncoder {

        private final NonNegativeScaleSearch ceilingSearch = new NonNegativeScaleSearch(GROUP, 4);

        Encoder(IQ2_XXS format, LatticeSearch search) {
            super(format, Codebook.IQ2_XXS, search, true, Magnitudes.TINY, 1);
        }

        @Override
        float weight(float value, float meanSquare) {
            return (float) Math.sqrt(meanSquare + value * value);
        }

        /** With so few points an outlier must not set the scale: what gets the highest level is searched for first. */
        @Override
        float search(LatticeSearch search, float max) {
            float scale = ceilingSearch.search(search.values(), search.weights());
            return scale > 0 ? search.search(scale * 3, scale) : super.search(search, max);
        }
    }
}
