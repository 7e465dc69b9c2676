package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.bits.TwoBits;
import dev.stowage.reference.quant.search.AffineSearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Two bits for each of 256 elements; every 16 have a scale and a minimum of four bits each:
 * {@code value = q * (d * scale) - m * min}.
 *
 * <pre>
 *   byte 0                16                         80     82     84
 *        ┌────────────────┬──────────────────────────┬──────┬──────┐
 *        │ scale low four │ q, two bits each in runs │ d    │ m    │
 *        │ min high four  │ of 128: 0|32|64|96 …     │ f16  │ f16  │
 *        └────────────────┴──────────────────────────┴──────┴──────┘
 * </pre>
 */
final class Q2_K extends ScalarFormat {

    private static final int SIZE = 256;
    private static final int GROUP = 16;
    private static final int GROUPS = SIZE / GROUP;
    private static final int LEVELS = 16;
    private static final int SCALE = 80;
    private static final int MIN = 82;

    Q2_K() {
        super(ElementType.Q2_K);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at + SCALE);
        float m = BlockBytes.f16(blocks, at + MIN);
        for (int i = 0; i < SIZE; i++) {
            int codes = BlockBytes.u8(blocks, at + i / GROUP);
            target[from + i] = d * (codes & 0xF) * TwoBits.get(blocks, at + LEVELS, i) - m * (codes >>> 4);
        }
    }

    @Override
    BlockEncoder encoder() {
        return new Encoder();
    }

    private static final class Encoder implements BlockEncoder {

        private final AffineSearch search = new AffineSearch(GROUP, 3, -0.5f, 0.1f, 15, false);
        private final int[] levels = new int[SIZE];
        private final float[] weights = new float[GROUP];
        private final float[] scales = new float[GROUPS];
        private final float[] mins = new float[GROUPS];

        @Override
        public void encode(float[] source, int from, MemorySegment blocks, long at) {
            float maxScale = 0;
            float maxMin = 0;
            for (int g = 0; g < GROUPS; g++) {
                searchGroup(source, from, g);
                maxScale = scales[g] > maxScale ? scales[g] : maxScale;
                maxMin = mins[g] > maxMin ? mins[g] : maxMin;
            }
            float inverseScale = maxScale > 0 ? 15 / maxScale : 0;
            float inverseMin = maxMin > 0 ? 15 / maxMin : 0;
            float d = BlockBytes.putF16(blocks, at + SCALE, maxScale / 15);
            float m = BlockBytes.putF16(blocks, at + MIN, maxMin / 15);
            for (int g = 0; g < GROUPS; g++) {
                int scale = Rounding.nearest(inverseScale * scales[g]);
                int min = Rounding.nearest(inverseMin * mins[g]);
                int codes = (scale | (min << 4)) & 0xFF;
                BlockBytes.put8(blocks, at + g, codes);
                adjust(source, from, g, d * (codes & 0xF), m * (codes >>> 4));
            }
            for (int i = 0; i < SIZE; i++) {
                TwoBits.put(blocks, at + LEVELS, i, levels[i]);
            }
        }

        private void searchGroup(float[] source, int from, int group) {
            int first = group * GROUP;
            for (int i = 0; i < GROUP; i++) {
                weights[i] = Math.abs(source[from + first + i]);
            }
            search.search(source, from + first, weights, levels, first);
            scales[group] = search.scale();
            mins[group] = search.offset();
        }

        /** Chooses the levels once more, for the scale and minimum as they can be written. */
        private void adjust(float[] source, int from, int group, float scale, float min) {
            if (scale == 0) {
                return;
            }
            for (int i = group * GROUP; i < (group + 1) * GROUP; i++) {
                levels[i] = Rounding.nearest((source[from + i] + min) / scale, 0, 3);
            }
        }
    }
}
