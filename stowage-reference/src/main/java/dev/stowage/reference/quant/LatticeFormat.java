package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Signs;
import dev.stowage.reference.quant.search.Codebook;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * What the five iq2 and iq3 types share: 256 elements to a block; signs apart from magnitudes; the magnitudes of a few
 * elements together are a point of a {@link Codebook}; groups of 16 or 32 elements have a scale of four bits, in
 * terms of a half-precision number {@code d} with which every block starts. Where in a block the numbers of the
 * points, the signs and the scales are stored is for each type to say.
 */
abstract class LatticeFormat extends ScalarFormat {

    static final int SIZE = 256;

    private final Codebook book;
    private final int[] magnitudes;
    private final int group;

    /**
     * @param magnitudes what the levels of a coordinate stand for
     * @param group how many elements share a scale
     */
    LatticeFormat(ElementType type, Codebook book, int[] magnitudes, int group) {
        super(type);
        this.book = book;
        this.magnitudes = magnitudes;
        this.group = group;
    }

    /** The number of a point of the block. */
    abstract int number(MemorySegment blocks, long at, int point);

    /** The signs of eight elements. */
    abstract int signs(MemorySegment blocks, long at, int eight);

    /** The scale of a group, from 0 to 15. */
    abstract int scaleCode(MemorySegment blocks, long at, int group);

    /** What a magnitude is multiplied with. */
    abstract float scale(float d, int code);

    abstract void putNumber(MemorySegment blocks, long at, int point, int number);

    abstract void putSigns(MemorySegment blocks, long at, int eight, int signs);

    abstract void putScaleCode(MemorySegment blocks, long at, int group, int code);

    @Override
    final void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at);
        for (int eight = 0; eight < SIZE / Signs.COUNT; eight++) {
            float scale = scale(d, scaleCode(blocks, at, eight * Signs.COUNT / group));
            int signs = signs(blocks, at, eight);
            for (int i = 0; i < Signs.COUNT; i++) {
                int element = eight * Signs.COUNT + i;
                int number = number(blocks, at, element / book.dimension());
                int magnitude = magnitudes[book.level(number, element % book.dimension())];
                target[from + element] = Signs.apply(signs, i, scale * magnitude);
            }
        }
    }
}
