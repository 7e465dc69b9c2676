package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Codebook;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.reference.quant.search.TernarySearch;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * One bit and nine sixteenths for each of 256 elements: every eight are one of 2048 points with coordinates -1, 0 and
 * 1; every 32 have a scale of three bits and are shifted up or down by an eighth:
 * {@code value = d * (2 * scale + 1) * (coordinate ± 1/8)}.
 *
 * <pre>
 *   byte 0      2                    34                                          50
 *        ┌──────┬────────────────────┬───────────────────────────────────────────┐
 *        │ d    │ low eight bits of  │ 8 times u16: bits 0…11 high three bits of │
 *        │ f16  │ the 32 numbers     │ 4 numbers, 12…14 scale, 15 shifted down   │
 *        └──────┴────────────────────┴───────────────────────────────────────────┘
 * </pre>
 */
final class IQ1_S extends ScalarFormat {

    private static final int SIZE = 256;
    private static final int GROUP = 32;
    private static final int GROUPS = SIZE / GROUP;
    private static final int DIMENSION = 8;
    private static final int POINTS = GROUP / DIMENSION;
    private static final int LOW = 2;
    private static final int HIGH = 34;
    private static final int DOWN = 8;

    private static final float SMALL = 1e-12f;
    private static final float CORRECTION = 1.125f;

    IQ1_S() {
        super(ElementType.IQ1_S);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at);
        for (int i = 0; i < SIZE; i++) {
            int bits = BlockBytes.u16(blocks, at + HIGH + 2L * (i / GROUP));
            int point = i / DIMENSION;
            int high = (bits >>> (point % POINTS * 3)) & 7;
            int number = BlockBytes.u8(blocks, at + LOW + point) | (high << 8);
            float scale = d * (2 * ((bits >>> 12) & 7) + 1);
            int place = Codebook.IQ1.level(number, i % DIMENSION);
            target[from + i] = scale * TernarySearch.value(place, ((bits >>> 12) & DOWN) != 0);
        }
    }

    @Override
    BlockEncoder encoder() {
        return new Encoder();
    }

    private static final class Encoder implements BlockEncoder {

        private final TernarySearch search = new Search();
        private final float[] weights = new float[GROUP];
        private final float[] scales = new float[GROUPS];
        private final int[] shifts = new int[GROUPS];

        @Override
        public void encode(float[] source, int from, MemorySegment blocks, long at) {
            float sigma2 = 2 * Magnitudes.sumOfSquares(source, from, SIZE) / SIZE;
            for (int g = 0; g < GROUPS; g++) {
                encodeGroup(source, from + g * GROUP, g, sigma2, blocks, at);
            }
            float maxScale = Magnitudes.largest(scales, 0, GROUPS);
            if (maxScale == 0) {
                return;
            }
            // A code c stands for (2·c + 1) times d, up to 15.
            float d = maxScale / 15;
            BlockBytes.putF16(blocks, at, d * CORRECTION);
            for (int g = 0; g < GROUPS; g++) {
                int code = Rounding.nearest(0.5f * (1 / d * scales[g] - 1), 0, 7);
                BlockBytes.or16(blocks, at + HIGH + 2L * g, (code + shifts[g] * DOWN) << 12);
            }
        }

        private void encodeGroup(float[] source, int from, int group, float sigma2, MemorySegment blocks, long at) {
            for (int i = 0; i < GROUP; i++) {
                weights[i] = (float) Math.sqrt(sigma2 + source[from + i] * source[from + i]);
            }
            search.clear();
            boolean empty = Magnitudes.largest(source, from, GROUP) < SMALL;
            scales[group] = empty ? 0 : search.search(source, from, weights);
            shifts[group] = search.pattern();
            for (int i = 0; i < POINTS; i++) {
                int number = search.numbers()[i];
                BlockBytes.put8(blocks, at + LOW + (long) group * POINTS + i, number);
                BlockBytes.or16(blocks, at + HIGH + 2L * group, number >>> 8 << (3 * i));
            }
        }
    }

    /** One shift for all: pattern 0 is up, 1 down. Sums over a run are differences of sums from the start. */
    private static final class Search extends TernarySearch {

        private final float[] sumX = new float[GROUP + 1];
        private final float[] sumW = new float[GROUP + 1];

        Search() {
            super(GROUP, 2);
        }

        @Override
        public boolean down(int pattern, int point) {
            return pattern == 1;
        }

        @Override
        public void split(float[] source, int from, float[] weights, int[] ascending) {
            for (int i = 0; i < GROUP; i++) {
                int element = ascending[i];
                sumX[i + 1] = sumX[i] + weights[element] * source[from + element];
                sumW[i + 1] = sumW[i] + weights[element];
            }
            for (int low = 0; low <= GROUP; low++) {
                for (int middle = low; middle <= GROUP; middle++) {
                    judge(low, middle, 0);
                    judge(low, middle, 1);
                }
            }
        }

        private void judge(int low, int middle, int pattern) {
            float q0 = value(0, pattern == 1);
            float q1 = value(1, pattern == 1);
            float q2 = value(2, pattern == 1);
            float sumXQ = sumX[low] * q0 + (sumX[middle] - sumX[low]) * q1 + (sumX[GROUP] - sumX[middle]) * q2;
            float sumQ2 =
                    sumW[low] * q0 * q0 + (sumW[middle] - sumW[low]) * q1 * q1 + (sumW[GROUP] - sumW[middle]) * q2 * q2;
            consider(sumXQ, sumQ2, low, middle, pattern);
        }
    }
}
