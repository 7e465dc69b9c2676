package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.bits.Signs;
import dev.stowage.reference.quant.search.Codebook;
import dev.stowage.reference.quant.search.LatticeSearch;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Two bits and five sixteenths for each of 256 elements: every eight are one of 512 points, with seven bits of sign;
 * every 16 have a scale of four bits. {@code value = d * (scale + 1/2) / 4 * magnitude}, where a magnitude is 8, 25 or
 * 43.
 *
 * <pre>
 *   byte 0      2                                        66                  74
 *        ┌──────┬────────────────────────────────────────┬───────────────────┐
 *        │ d    │ 32 times u16: bits 0…8 number of the   │ scales, 4 bits    │
 *        │ f16  │ point, bits 9…15 signs                 │ each, low first   │
 *        └──────┴────────────────────────────────────────┴───────────────────┘
 * </pre>
 */
final class IQ2_XS extends LatticeFormat {

    private static final int GROUP = 16;
    private static final int POINTS = 2;
    private static final int SCALES = 66;

    IQ2_XS() {
        super(ElementType.IQ2_XS, Codebook.IQ2_XS, new int[] {8, 25, 43}, GROUP);
    }

    @Override
    int number(MemorySegment blocks, long at, int point) {
        return BlockBytes.u16(blocks, at + POINTS + 2L * point) & 0x1FF;
    }

    @Override
    void putNumber(MemorySegment blocks, long at, int point, int number) {
        BlockBytes.or16(blocks, at + POINTS + 2L * point, number);
    }

    @Override
    int signs(MemorySegment blocks, long at, int eight) {
        return Signs.fromSeven(BlockBytes.u16(blocks, at + POINTS + 2L * eight) >>> 9);
    }

    @Override
    void putSigns(MemorySegment blocks, long at, int eight, int signs) {
        BlockBytes.or16(blocks, at + POINTS + 2L * eight, (signs & 0x7F) << 9);
    }

    @Override
    int scaleCode(MemorySegment blocks, long at, int group) {
        return Nibbles.get(blocks, at + SCALES, 1, group);
    }

    @Override
    void putScaleCode(MemorySegment blocks, long at, int group, int code) {
        Nibbles.put(blocks, at + SCALES, 1, group, code);
    }

    @Override
    float scale(float d, int code) {
        return d * (0.5f + code) * 0.25f;
    }

    @Override
    BlockEncoder encoder() {
        LatticeSearch search = new LatticeSearch(Codebook.IQ2_XS, GROUP, 9, 0.1f, LatticeSearch.Again.OFF);
        return new LatticeEncoder(this, Codebook.IQ2_XS, search, true, Magnitudes.TINY, 1) {
            @Override
            float weight(float value, float meanSquare) {
                return (float) Math.sqrt(meanSquare + value * value);
            }
        };
    }
}
