package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.bits.Signs;
import dev.stowage.reference.quant.search.Codebook;
import dev.stowage.reference.quant.search.LatticeSearch;
import dev.stowage.reference.quant.search.Magnitudes;
import java.lang.foreign.MemorySegment;

/** Finds and writes the blocks of a {@link LatticeFormat}. How elements are weighed is for each type to say. */
abstract class LatticeEncoder implements BlockEncoder {

    private final LatticeFormat format;
    private final Codebook book;
    private final LatticeSearch search;
    private final boolean evenSigns;
    private final float tiny;
    private final float correction;
    private final float[] scales;
    private final int[] signs;

    /**
     * @param search what finds scale and points of a group
     * @param evenSigns whether an even number of every eight elements must be negative
     * @param tiny a group whose largest magnitude is below this counts as zero
     * @param correction by how much, from experience, scales come out too small
     */
    LatticeEncoder(
            LatticeFormat format,
            Codebook book,
            LatticeSearch search,
            boolean evenSigns,
            float tiny,
            float correction) {
        this.format = format;
        this.book = book;
        this.search = search;
        this.evenSigns = evenSigns;
        this.tiny = tiny;
        this.correction = correction;
        this.scales = new float[LatticeFormat.SIZE / search.values().length];
        this.signs = new int[search.values().length / Signs.COUNT];
    }

    /** How much an element counts, in a block with that mean square. */
    abstract float weight(float value, float meanSquare);

    /** Has the search find scale and points of a group; its largest magnitude is {@code max}. */
    float search(LatticeSearch prepared, float max) {
        return prepared.search(max, max / (2 * book.levels() - 1));
    }

    @Override
    public final void encode(float[] source, int from, MemorySegment blocks, long at) {
        float meanSquare = Magnitudes.sumOfSquares(source, from, LatticeFormat.SIZE) / LatticeFormat.SIZE;
        float maxScale = 0;
        for (int group = 0; group < scales.length; group++) {
            scales[group] = encodeGroup(source, from, group, meanSquare, blocks, at);
            maxScale = scales[group] > maxScale ? scales[group] : maxScale;
        }
        if (maxScale == 0) {
            return;
        }
        // A code c stands for (2·c + 1) times d, up to 31.
        float d = maxScale / 31;
        BlockBytes.putF16(blocks, at, d * correction);
        for (int group = 0; group < scales.length; group++) {
            int code = Rounding.nearest(0.5f * (1 / d * scales[group] - 1), 0, 15);
            format.putScaleCode(blocks, at, group, code);
        }
    }

    private float encodeGroup(float[] source, int from, int group, float meanSquare, MemorySegment blocks, long at) {
        int first = group * search.values().length;
        prepare(source, from + first, meanSquare);
        float max = Magnitudes.max(search.values(), 0, search.values().length);
        if (max < tiny) {
            return 0;
        }
        float scale = search(search, max);
        for (int eight = 0; eight < signs.length; eight++) {
            format.putSigns(blocks, at, first / Signs.COUNT + eight, scale < 0 ? ~signs[eight] : signs[eight]);
        }
        int[] numbers = search.numbers();
        for (int point = 0; point < numbers.length; point++) {
            format.putNumber(blocks, at, first / book.dimension() + point, numbers[point]);
        }
        return Math.abs(scale);
    }

    /** Fills in what the search is to search for, and the signs. */
    private void prepare(float[] source, int from, float meanSquare) {
        float[] values = search.values();
        float[] weights = search.weights();
        for (int i = 0; i < values.length; i++) {
            weights[i] = weight(source[from + i], meanSquare);
        }
        for (int eight = 0; eight < signs.length; eight++) {
            int first = eight * Signs.COUNT;
            signs[eight] = evenSigns
                    ? Signs.splitEven(source, from + first, weights, values, first)
                    : Signs.split(source, from + first, values, first);
        }
    }
}
