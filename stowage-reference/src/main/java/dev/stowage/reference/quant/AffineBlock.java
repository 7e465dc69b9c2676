package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.bits.SixBitScales;
import dev.stowage.reference.quant.search.AffineSearch;
import dev.stowage.reference.quant.search.Magnitudes;
import java.lang.foreign.MemorySegment;

/**
 * What q4_K and q5_K share: the sixteen bytes both start with, and the way to find what goes into them. Every 32 of
 * the 256 elements have a scale and a minimum of six bits each: {@code value = q * (d * scale) - m * min}.
 *
 * <pre>
 *   byte 0      2      4                    16
 *        ┌──────┬──────┬────────────────────┬─────
 *        │ d    │ m    │ scales and minima  │ q …
 *        │ f16  │ f16  │ 16 · 6 bits        │
 *        └──────┴──────┴────────────────────┴─────
 * </pre>
 */
final class AffineBlock {

    static final int SIZE = 256;
    static final int GROUP = 32;

    private static final int GROUPS = SIZE / GROUP;
    private static final int MIN = 2;
    private static final int SCALES = 4;

    private final AffineSearch search;
    private final int maxLevel;
    private final int[] levels = new int[SIZE];
    private final float[] weights = new float[GROUP];
    private final float[] scales = new float[GROUPS];
    private final float[] mins = new float[GROUPS];

    AffineBlock(int maxLevel, AffineSearch search) {
        this.maxLevel = maxLevel;
        this.search = search;
    }

    /** What a level of a group is multiplied with. */
    static float scale(MemorySegment blocks, long at, int group) {
        return BlockBytes.f16(blocks, at) * SixBitScales.scale(blocks, at + SCALES, group);
    }

    /** What is then subtracted. */
    static float min(MemorySegment blocks, long at, int group) {
        return BlockBytes.f16(blocks, at + MIN) * SixBitScales.min(blocks, at + SCALES, group);
    }

    /** Writes the first sixteen bytes; the levels of the elements are returned, in an array that is used again. */
    int[] encode(float[] source, int from, MemorySegment blocks, long at) {
        float maxScale = 0;
        float maxMin = 0;
        for (int g = 0; g < GROUPS; g++) {
            searchGroup(source, from, g);
            maxScale = scales[g] > maxScale ? scales[g] : maxScale;
            maxMin = mins[g] > maxMin ? mins[g] : maxMin;
        }
        float inverseScale = maxScale > 0 ? 63 / maxScale : 0;
        float inverseMin = maxMin > 0 ? 63 / maxMin : 0;
        BlockBytes.putF16(blocks, at, maxScale / 63);
        BlockBytes.putF16(blocks, at + MIN, maxMin / 63);
        for (int g = 0; g < GROUPS; g++) {
            SixBitScales.put(blocks, at + SCALES, g, code(inverseScale * scales[g]), code(inverseMin * mins[g]));
        }
        for (int g = 0; g < GROUPS; g++) {
            adjust(source, from, g, scale(blocks, at, g), min(blocks, at, g));
        }
        return levels;
    }

    private void searchGroup(float[] source, int from, int group) {
        int first = group * GROUP;
        float average = (float) Math.sqrt(Magnitudes.sumOfSquares(source, from + first, GROUP) / GROUP);
        for (int i = 0; i < GROUP; i++) {
            weights[i] = average + Math.abs(source[from + first + i]);
        }
        search.search(source, from + first, weights, levels, first);
        scales[group] = search.scale();
        mins[group] = search.offset();
    }

    private static int code(float exact) {
        return Math.min(63, Rounding.nearest(exact) & 0xFF);
    }

    /** Chooses the levels once more, for the scale and minimum as they are written. */
    private void adjust(float[] source, int from, int group, float scale, float min) {
        if (scale == 0) {
            return;
        }
        for (int i = group * GROUP; i < (group + 1) * GROUP; i++) {
            levels[i] = Rounding.nearest((source[from + i] + min) / scale, 0, maxLevel);
        }
    }
}
