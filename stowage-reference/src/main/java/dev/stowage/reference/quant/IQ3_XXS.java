package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Signs;
import dev.stowage.reference.quant.search.Codebook;
import dev.stowage.reference.quant.search.LatticeSearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Three bits and a sixteenth for each of 256 elements: every four are one of 256 points, every eight have seven bits
 * of sign, every 32 a scale of four bits. {@code value = d * (scale + 1/2) / 2 * magnitude}, where the magnitudes are
 * 4, 12, 20 and so on to 52, and 62.
 *
 * <pre>
 *   byte 0      2                        66                                      98
 *        ┌──────┬────────────────────────┬───────────────────────────────────────┐
 *        │ d    │ numbers of the points  │ 8 times 32 bits: bits 0…27 signs, 7   │
 *        │ f16  │ 64 bytes               │ for every eight; bits 28…31 scale     │
 *        └──────┴────────────────────────┴───────────────────────────────────────┘
 * </pre>
 */
final class IQ3_XXS extends LatticeFormat {

    private static final int GROUP = 32;
    private static final int POINTS = 2;
    private static final int SIGNS = 66;
    private static final int SCALE_BIT = 28;

    private static final float SMALL = 1e-8f;
    private static final float CORRECTION = 1.0125f;

    IQ3_XXS() {
        super(ElementType.IQ3_XXS, Codebook.IQ3_XXS, new int[] {4, 12, 20, 28, 36, 44, 52, 62}, GROUP);
    }

    @Override
    int number(MemorySegment blocks, long at, int point) {
        return BlockBytes.u8(blocks, at + POINTS + point);
    }

    @Override
    void putNumber(MemorySegment blocks, long at, int point, int number) {
        BlockBytes.put8(blocks, at + POINTS + point, number);
    }

    @Override
    int signs(MemorySegment blocks, long at, int eight) {
        int bits = BlockBytes.i32(blocks, at + SIGNS + eight / 4 * 4L);
        return Signs.fromSeven((bits >>> (eight % 4 * 7)) & 0x7F);
    }

    @Override
    void putSigns(MemorySegment blocks, long at, int eight, int signs) {
        BlockBytes.or32(blocks, at + SIGNS + eight / 4 * 4L, (signs & 0x7F) << (eight % 4 * 7));
    }

    @Override
    int scaleCode(MemorySegment blocks, long at, int group) {
        return BlockBytes.i32(blocks, at + SIGNS + group * 4L) >>> SCALE_BIT;
    }

    @Override
    void putScaleCode(MemorySegment blocks, long at, int group, int code) {
        BlockBytes.or32(blocks, at + SIGNS + group * 4L, code << SCALE_BIT);
    }

    @Override
    float scale(float d, int code) {
        return d * (0.5f + code) * 0.5f;
    }

    @Override
    BlockEncoder encoder() {
        LatticeSearch search = new LatticeSearch(Codebook.IQ3_XXS, GROUP, 15, 0.2f, LatticeSearch.Again.OFF);
        return new LatticeEncoder(this, Codebook.IQ3_XXS, search, true, SMALL, CORRECTION) {
            @Override
            float weight(float value, float meanSquare) {
                return value * value;
            }
        };
    }
}
