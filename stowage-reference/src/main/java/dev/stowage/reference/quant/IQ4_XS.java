package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.reference.quant.search.NonLinearLevels;
import dev.stowage.reference.quant.search.NonLinearSearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Four bits for each of 256 elements, which choose one of the unevenly spaced levels of {@link NonLinearLevels}; every 32 have
 * a scale of six bits, around zero: {@code value = d * (scale - 32) * level(q)}.
 *
 * <pre>
 *   byte 0      2                  4                  8                        136
 *        ┌──────┬──────────────────┬──────────────────┬────────────────────────┐
 *        │ d    │ high two bits of │ low four bits of │ q as nibbles in runs   │
 *        │ f16  │ the 8 scales     │ the 8 scales     │ of 32: 0|16, 1|17 …    │
 *        └──────┴──────────────────┴──────────────────┴────────────────────────┘
 * </pre>
 */
final class IQ4_XS extends ScalarFormat {

    private static final int SIZE = 256;
    private static final int GROUP = NonLinearSearch.SIZE;
    private static final int GROUPS = SIZE / GROUP;
    private static final int SCALES_HIGH = 2;
    private static final int SCALES_LOW = 4;
    private static final int LEVELS = 8;
    private static final int STEPS = 7;

    IQ4_XS() {
        super(ElementType.IQ4_XS);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at);
        for (int i = 0; i < SIZE; i++) {
            float scale = d * (scaleCode(blocks, at, i / GROUP) - 32);
            target[from + i] = scale * NonLinearLevels.level(Nibbles.get(blocks, at + LEVELS, GROUP / 2, i));
        }
    }

    private static int scaleCode(MemorySegment blocks, long at, int group) {
        int low = Nibbles.get(blocks, at + SCALES_LOW, 1, group);
        int high = (BlockBytes.u16(blocks, at + SCALES_HIGH) >>> (group * 2)) & 3;
        return low | (high << 4);
    }

    private static void putScaleCode(MemorySegment blocks, long at, int group, int code) {
        Nibbles.put(blocks, at + SCALES_LOW, 1, group, code);
        BlockBytes.or16(blocks, at + SCALES_HIGH, code >>> 4 << (group * 2));
    }

    @Override
    BlockEncoder encoder() {
        return new Encoder();
    }

    private static final class Encoder implements BlockEncoder {

        private final NonLinearSearch search = new NonLinearSearch();
        private final float[] scales = new float[GROUPS];

        @Override
        public void encode(float[] source, int from, MemorySegment blocks, long at) {
            for (int g = 0; g < GROUPS; g++) {
                float extreme = Magnitudes.extreme(source, from + g * GROUP, GROUP);
                boolean empty = Math.abs(extreme) < Magnitudes.TINY;
                scales[g] = empty ? 0 : search.search(source, from + g * GROUP, extreme, STEPS);
            }
            float d = -Magnitudes.extreme(scales, 0, GROUPS) / 32;
            float inverse = Magnitudes.inverse(d);
            BlockBytes.putF16(blocks, at, d);
            for (int g = 0; g < GROUPS; g++) {
                int code = Rounding.nearest(inverse * scales[g], -32, 31);
                putScaleCode(blocks, at, g, code + 32);
                float inverseScale = Magnitudes.inverse(d * code);
                for (int i = g * GROUP; i < (g + 1) * GROUP; i++) {
                    Nibbles.put(
                            blocks,
                            at + LEVELS,
                            GROUP / 2,
                            i,
                            NonLinearLevels.nearest(inverseScale * source[from + i]));
                }
            }
        }
    }
}
