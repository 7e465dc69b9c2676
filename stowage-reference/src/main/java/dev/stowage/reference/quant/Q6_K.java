package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.bits.TwoBits;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.reference.quant.search.SymmetricScaleSearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Six bits for each of 256 elements, around zero; every 16 have a scale of eight bits:
 * {@code value = d * scale * (q - 32)}.
 *
 * <pre>
 *   byte 0                         128                     192           208    210
 *        ┌─────────────────────────┬───────────────────────┬─────────────┬──────┐
 *        │ low four bits of q, in  │ high two bits of q in │ scales      │ d    │
 *        │ runs of 128: 0|64 …     │ runs of 128: 0|32|64… │ 16 signed   │ f16  │
 *        └─────────────────────────┴───────────────────────┴─────────────┴──────┘
 * </pre>
 */
final class Q6_K extends ScalarFormat {

    private static final int SIZE = 256;
    private static final int GROUP = 16;
    private static final int GROUPS = SIZE / GROUP;
    private static final int RUN = 64;
    private static final int HIGH = 128;
    private static final int SCALES = 192;
    private static final int SCALE = 208;

    Q6_K() {
        super(ElementType.Q6_K);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at + SCALE);
        for (int i = 0; i < SIZE; i++) {
            int level = Nibbles.get(blocks, at, RUN, i) | (TwoBits.get(blocks, at + HIGH, i) << 4);
            target[from + i] = d * BlockBytes.s8(blocks, at + SCALES + i / GROUP) * (level - 32);
        }
    }

    @Override
    BlockEncoder encoder() {
        return new Encoder();
    }

    private static final class Encoder implements BlockEncoder {

        private final SymmetricScaleSearch search = new SymmetricScaleSearch(GROUP, 32);
        private final int[] levels = new int[SIZE];
        private final float[] scales = new float[GROUPS];

        @Override
        public void encode(float[] source, int from, MemorySegment blocks, long at) {
            for (int g = 0; g < GROUPS; g++) {
                scales[g] = search.search(source, from + g * GROUP, levels, g * GROUP);
            }
            float extreme = Magnitudes.extreme(scales, 0, GROUPS);
            if (Math.abs(extreme) < Magnitudes.TINY) {
                return;
            }
            putScales(source, from, blocks, at, -128 / extreme);
            for (int i = 0; i < SIZE; i++) {
                Nibbles.put(blocks, at, RUN, i, levels[i]);
                TwoBits.put(blocks, at + HIGH, i, levels[i] >>> 4);
            }
        }

        /** Writes all scales and chooses the levels once more, for the scales as they are written. */
        private void putScales(float[] source, int from, MemorySegment blocks, long at, float inverse) {
            float d = BlockBytes.putF16(blocks, at + SCALE, 1 / inverse);
            for (int g = 0; g < GROUPS; g++) {
                byte code = (byte) Math.min(127, Rounding.nearest(inverse * scales[g]));
                BlockBytes.put8(blocks, at + SCALES + g, code);
                float scale = d * code;
                for (int i = g * GROUP; scale != 0 && i < (g + 1) * GROUP; i++) {
                    levels[i] = Rounding.nearest(source[from + i] / scale, -32, 31) + 32;
                }
            }
        }
    }
}
