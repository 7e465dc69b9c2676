package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.FloatFormats;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Codebook;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.reference.quant.search.TernarySearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * One bit and three quarters for each of 256 elements: every eight are one of 2048 points with coordinates -1, 0 and 1,
 * shifted up or down by an eighth; every 16 have a scale of three bits:
 * {@code value = d * (2 * scale + 1) * (coordinate ± 1/8)}.
 *
 * <pre>
 *   byte 0                    32                             48                              56
 *        ┌────────────────────┬──────────────────────────────┬───────────────────────────────┐
 *        │ low eight bits of  │ 32 nibbles, low first: bits  │ 4 times u16: bits 0…11 four   │
 *        │ the 32 numbers     │ 0…2 high three bits of the   │ scales, 12…15 four bits of d, │
 *        │                    │ number, 3 shifted down       │ the lowest first              │
 *        └────────────────────┴──────────────────────────────┴───────────────────────────────┘
 * </pre>
 */
final class IQ1_M extends ScalarFormat {

    private static final int SIZE = 256;
    private static final int GROUP = 16;
    private static final int GROUPS = SIZE / GROUP;
    private static final int DIMENSION = 8;
    private static final int HIGH = 32;
    private static final int SCALES = 48;
    private static final int DOWN = 8;

    IQ1_M() {
        super(ElementType.IQ1_M);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = scale(blocks, at);
        for (int i = 0; i < SIZE; i++) {
            int point = i / DIMENSION;
            int high = Nibbles.get(blocks, at + HIGH, 1, point);
            int number = BlockBytes.u8(blocks, at + point) | ((high & 7) << 8);
            int place = Codebook.IQ1.level(number, i % DIMENSION);
            float scale = d * (2 * scaleCode(blocks, at, i / GROUP) + 1);
            target[from + i] = scale * TernarySearch.value(place, (high & DOWN) != 0);
        }
    }

    private static float scale(MemorySegment blocks, long at) {
        int half = 0;
        for (int i = 0; i < 4; i++) {
            half |= BlockBytes.u16(blocks, at + SCALES + 2L * i) >>> 12 << (4 * i);
        }
        return FloatFormats.fromHalf((short) half);
    }

    private static int scaleCode(MemorySegment blocks, long at, int group) {
        return (BlockBytes.u16(blocks, at + SCALES + group / 4 * 2L) >>> (group % 4 * 3)) & 7;
    }

    static void putPoint(MemorySegment blocks, long at, int point, int number, boolean down) {
        BlockBytes.put8(blocks, at + point, number);
        Nibbles.put(blocks, at + HIGH, 1, point, (number >>> 8) | (down ? DOWN : 0));
    }

    static void putScale(MemorySegment blocks, long at, float d) {
        int half = FloatFormats.toHalf(d);
        for (int i = 0; i < 4; i++) {
            BlockBytes.or16(blocks, at + SCALES + 2L * i, ((half >>> (4 * i)) & 0xF) << 12);
        }
    }

    static void putScaleCode(MemorySegment blocks, long at, int group, int code) {
        BlockBytes.or16(blocks, at + SCALES + group / 4 * 2L, code << (group % 4 * 3));
    }

    @Override
    BlockEncoder encoder() {
        return new Encoder();
    }

    private static final class Encoder implements BlockEncoder {

        private static final float SMALL = 1e-7f;
        private static final float CORRECTION = 1.1125f;

        private final TernarySearch search = new Search();
        private final float[] weights = new float[GROUP];
        private final float[] scales = new float[GROUPS];
        private final int[] patterns = new int[GROUPS];
        private final int[] numbers = new int[2 * GROUPS];

        @Override
        public void encode(float[] source, int from, MemorySegment blocks, long at) {
            for (int g = 0; g < GROUPS; g++) {
                searchGroup(source, from + g * GROUP, g);
            }
            float maxScale = Magnitudes.largest(scales, 0, GROUPS);
            if (maxScale == 0) {
                return;
            }
            // A code c stands for (2·c + 1) times d, up to 15; d follows anew from all elements and the codes.
            float d = maxScale / 15;
            float sumXQ = 0;
            float sumQ2 = 0;
            for (int g = 0; g < GROUPS; g++) {
                int code = Rounding.nearest(0.5f * (1 / d * scales[g] - 1), 0, 7);
                putScaleCode(blocks, at, g, code);
                for (int point = 0; point < 2; point++) {
                    putPoint(blocks, at, 2 * g + point, numbers[2 * g + point], search.down(patterns[g], point));
                }
                for (int i = g * GROUP; i < (g + 1) * GROUP; i++) {
                    float x = source[from + i];
                    int place = Codebook.IQ1.level(numbers[i / DIMENSION], i % DIMENSION);
                    boolean down = search.down(patterns[g], i / DIMENSION % 2);
                    float q = TernarySearch.value(place, down) * (2 * code + 1);
                    sumXQ += x * x * q * x;
                    sumQ2 += x * x * q * q;
                }
            }
            putScale(blocks, at, (sumQ2 > 0 ? sumXQ / sumQ2 : d) * CORRECTION);
        }

        private void searchGroup(float[] source, int from, int group) {
            for (int i = 0; i < GROUP; i++) {
                weights[i] = source[from + i] * source[from + i];
            }
            search.clear();
            boolean empty = Magnitudes.largest(source, from, GROUP) < SMALL;
            scales[group] = empty ? 0 : search.search(source, from, weights);
            patterns[group] = search.pattern();
            System.arraycopy(search.numbers(), 0, numbers, 2 * group, 2);
        }
    }

    /**
     * A shift for each of the two points: bit 1 of a pattern is that of the first, bit 0 that of the second. For each
     * point, sums over a run are differences of sums from the start, and with levels one apart
     * {@code sum(w·x·q) = all·q2 - upToLow - upToMiddle}.
     */
    private static final class Search extends TernarySearch {

        private final float[][] sumX = new float[2][GROUP + 1];
        private final float[][] sumW = new float[2][GROUP + 1];

        Search() {
            super(GROUP, 4);
        }

        @Override
        public boolean down(int pattern, int point) {
            return (point == 0 ? pattern >>> 1 : pattern & 1) == 1;
        }

        @Override
        public void split(float[] source, int from, float[] weights, int[] ascending) {
            for (int i = 0; i < GROUP; i++) {
                int element = ascending[i];
                for (int point = 0; point < 2; point++) {
                    boolean own = element / DIMENSION == point;
                    float x = own ? weights[element] * source[from + element] : 0;
                    sumX[point][i + 1] = sumX[point][i] + x;
                    sumW[point][i + 1] = sumW[point][i] + (own ? weights[element] : 0);
                }
            }
            for (int low = 0; low <= GROUP; low++) {
                for (int middle = low; middle <= GROUP; middle++) {
                    for (int pattern = 0; pattern < 4; pattern++) {
                        boolean first = down(pattern, 0);
                        boolean second = down(pattern, 1);
                        float xq = sumXQ(0, low, middle, first) + sumXQ(1, low, middle, second);
                        float q2 = sumQ2(0, low, middle, first) + sumQ2(1, low, middle, second);
                        consider(xq, q2, low, middle, pattern);
                    }
                }
            }
        }

        private float sumXQ(int point, int low, int middle, boolean down) {
            float[] sums = sumX[point];
            return sums[GROUP] * value(2, down) - (sums[low] + sums[middle]);
        }

        private float sumQ2(int point, int low, int middle, boolean down) {
            float[] sums = sumW[point];
            float q0 = value(0, down);
            float q1 = value(1, down);
            float q2 = value(2, down);
            float all = sums[GROUP] * q2 * q2;
            return sums[low] * (q0 * q0 - q1 * q1) + all + sums[middle] * (q1 * q1 - q2 * q2);
        }
    }
}
