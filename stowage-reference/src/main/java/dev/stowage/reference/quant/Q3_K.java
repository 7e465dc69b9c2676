package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.bits.OneBits;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.bits.TwoBits;
import dev.stowage.reference.quant.search.CoordinateDescentSearch;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Three bits for each of 256 elements, around zero; every 16 have a scale of six bits, around zero too:
 * {@code value = d * (scale - 32) * (q - 4)}.
 *
 * <pre>
 *   byte 0               32                         96         108    110
 *        ┌───────────────┬──────────────────────────┬──────────┬──────┐
 *        │ third bits of │ low two bits of q in     │ scales   │ d    │
 *        │ q: 0|32|64 …  │ runs of 128: 0|32|64|96  │ 16 · 6   │ f16  │
 *        └───────────────┴──────────────────────────┴──────────┴──────┘
 * </pre>
 *
 * <p>The scales: the low four bits are nibbles over eight bytes, 0|8, 1|9 …; the high two bits are in the four bytes
 * after these, byte {@code j} holding those of the scales {@code j}, {@code 4 + j}, {@code 8 + j}, {@code 12 + j}.
 */
final class Q3_K extends ScalarFormat {

    private static final int SIZE = 256;
    private static final int GROUP = 16;
    private static final int GROUPS = SIZE / GROUP;
    private static final int LOW = 32;
    private static final int SCALES = 96;
    private static final int SCALES_HIGH = SCALES + 8;
    private static final int SCALE = 108;

    Q3_K() {
        super(ElementType.Q3_K);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at + SCALE);
        for (int i = 0; i < SIZE; i++) {
            int level = TwoBits.get(blocks, at + LOW, i) | (OneBits.get(blocks, at, i) << 2);
            target[from + i] = d * (scaleCode(blocks, at, i / GROUP) - 32) * (level - 4);
        }
    }

    private static int scaleCode(MemorySegment blocks, long at, int group) {
        int high = (BlockBytes.u8(blocks, at + SCALES_HIGH + group % 4) >>> (group / 4 * 2)) & 3;
        return Nibbles.get(blocks, at + SCALES, 8, group) | (high << 4);
    }

    private static void putScaleCode(MemorySegment blocks, long at, int group, int code) {
        Nibbles.put(blocks, at + SCALES, 8, group, code);
        BlockBytes.or8(blocks, at + SCALES_HIGH + group % 4, (code >>> 4) << (group / 4 * 2));
    }

    @Override
    BlockEncoder encoder() {
        return new Encoder();
    }

    private static final class Encoder implements BlockEncoder {

        private final CoordinateDescentSearch search = new CoordinateDescentSearch(GROUP, 4);
        private final int[] levels = new int[SIZE];
        private final float[] scales = new float[GROUPS];

        @Override
        public void encode(float[] source, int from, MemorySegment blocks, long at) {
            for (int g = 0; g < GROUPS; g++) {
                scales[g] = search.search(source, from + g * GROUP, levels, g * GROUP);
            }
            float extreme = Magnitudes.extreme(scales, 0, GROUPS);
            if (extreme != 0) {
                putScales(source, from, blocks, at, -32 / extreme);
            }
            for (int i = 0; i < SIZE; i++) {
                TwoBits.put(blocks, at + LOW, i, levels[i]);
                OneBits.put(blocks, at, i, levels[i] >>> 2);
            }
        }

        /** Writes all scales and chooses the levels once more, for the scales as they are written. */
        private void putScales(float[] source, int from, MemorySegment blocks, long at, float inverse) {
            float d = BlockBytes.putF16(blocks, at + SCALE, 1 / inverse);
            for (int g = 0; g < GROUPS; g++) {
                int code = Rounding.nearest(inverse * scales[g], -32, 31);
                putScaleCode(blocks, at, g, code + 32);
                float scale = d * code;
                for (int i = g * GROUP; scale != 0 && i < (g + 1) * GROUP; i++) {
                    levels[i] = Rounding.nearest(source[from + i] / scale, -4, 3) + 4;
                }
            }
        }
    }
}
