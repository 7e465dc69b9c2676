package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.search.Codebook;
import dev.stowage.reference.quant.search.LatticeSearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Three bits and seven sixteenths for each of 256 elements: every four are one of 512 points, with all signs; every 32
 * have a scale of four bits. {@code value = d * (2 * scale + 1) * magnitude}, where the magnitudes are 1, 3, 5 and so
 * on to 15.
 *
 * <pre>
 *   byte 0      2                   66               74               106              110
 *        ┌──────┬───────────────────┬────────────────┬────────────────┬────────────────┐
 *        │ d    │ low eight bits of │ ninth bits of  │ signs, a byte  │ scales, 4 bits │
 *        │ f16  │ the numbers       │ the numbers    │ every eight    │ low first      │
 *        └──────┴───────────────────┴────────────────┴────────────────┴────────────────┘
 * </pre>
 *
 * <p>Where all elements of a group are zero, ggml writes the groups after it over each other; here they go where they
 * are read from.
 */
final class IQ3_S extends LatticeFormat {

    private static final int GROUP = 32;
    private static final int LOW = 2;
    private static final int HIGH = 66;
    private static final int SIGNS = 74;
    private static final int SCALES = 106;

    private static final float CORRECTION = 1.033f;

    IQ3_S() {
        super(ElementType.IQ3_S, Codebook.IQ3_S, new int[] {1, 3, 5, 7, 9, 11, 13, 15}, GROUP);
    }

    @Override
    int number(MemorySegment blocks, long at, int point) {
        int high = (BlockBytes.u8(blocks, at + HIGH + point / 8) >>> (point % 8)) & 1;
        return BlockBytes.u8(blocks, at + LOW + point) | (high << 8);
    }

    @Override
    void putNumber(MemorySegment blocks, long at, int point, int number) {
        BlockBytes.put8(blocks, at + LOW + point, number);
        BlockBytes.or8(blocks, at + HIGH + point / 8, number >>> 8 << (point % 8));
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
        return d * (1 + 2 * code);
    }

    @Override
    BlockEncoder encoder() {
        LatticeSearch search = new LatticeSearch(Codebook.IQ3_S, GROUP, 9, 0.2f, LatticeSearch.Again.ALL_IF_ANY_OFF);
        return new LatticeEncoder(this, Codebook.IQ3_S, search, false, Float.MIN_VALUE, CORRECTION) {
            @Override
            float weight(float value, float meanSquare) {
                return value * value;
            }
        };
    }
}
