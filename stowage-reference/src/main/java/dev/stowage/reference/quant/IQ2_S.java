package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.search.Codebook;
import dev.stowage.reference.quant.search.LatticeSearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Two bits and nine sixteenths for each of 256 elements: every eight are one of 1024 points, with all signs; every 16
 * have a scale of four bits. {@code value = d * (scale + 1/2) / 4 * magnitude}, where a magnitude is 8, 25 or 43.
 *
 * <pre>
 *   byte 0      2                    34              66                  74               82
 *        ┌──────┬────────────────────┬───────────────┬───────────────────┬────────────────┐
 *        │ d    │ low eight bits of  │ signs, a byte │ high two bits of  │ scales, 4 bits │
 *        │ f16  │ the numbers        │ a point       │ the numbers       │ low first      │
 *        └──────┴────────────────────┴───────────────┴───────────────────┴────────────────┘
 * </pre>
 */
final class IQ2_S extends LatticeFormat {

    private static final int GROUP = 16;
    private static final int LOW = 2;
    private static final int SIGNS = 34;
    private static final int HIGH = 66;
    private static final int SCALES = 74;

    private static final float SMALL = 1e-8f;
    private static final float CORRECTION = 0.9875f;

    IQ2_S() {
        super(ElementType.IQ2_S, Codebook.IQ2_S, new int[] {8, 25, 43}, GROUP);
    }

    @Override
    int number(MemorySegment blocks, long at, int point) {
        int high = (BlockBytes.u8(blocks, at + HIGH + point / 4) >>> (point % 4 * 2)) & 3;
        return BlockBytes.u8(blocks, at + LOW + point) | (high << 8);
    }

    @Override
    void putNumber(MemorySegment blocks, long at, int point, int number) {
        BlockBytes.put8(blocks, at + LOW + point, number);
        BlockBytes.or8(blocks, at + HIGH + point / 4, number >>> 8 << (point % 4 * 2));
    }

    @Override
    int signs(MemorySegment blocks, long at, int eight) {
        return BlockBytes.u8(blocks, at + SIGNS + eight);
    }

    @Override
    void putSigns(MemorySegment blocks, long at, int eight, int signs) {
        BlockBytes.put8(blocks, at + SIGNS + eight, signs);
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
        LatticeSearch search = new LatticeSearch(Codebook.IQ2_S, GROUP, 9, 0.1f, LatticeSearch.Again.OFF);
        return new LatticeEncoder(this, Codebook.IQ2_S, search, false, SMALL, CORRECTION) {
            @Override
            float weight(float value, float meanSquare) {
                return 0.5f * meanSquare + value * value;
            }
        };
    }
}
