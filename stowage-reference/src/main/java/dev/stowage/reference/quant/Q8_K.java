package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Eight bits for each of 256 elements, with the sums of every 16 beside them: {@code value = q * d}. The element
 * farthest from zero gets {@code q = -127}, so {@code d} is negative where that element is positive.
 * The type is for one side of dot products, hence the sums and the wide scale.
 *
 * <pre>
 *   byte 0      4                            260                    292
 *        ┌──────┬────────────────────────────┬──────────────────────┐
 *        │ d    │ q                          │ sums of 16 q each    │
 *        │ f32  │ 256 signed bytes           │ 16 times i16         │
 *        └──────┴────────────────────────────┴──────────────────────┘
 * </pre>
 */
final class Q8_K extends ScalarFormat {

    private static final int SIZE = 256;
    private static final int GROUP = 16;
    private static final int LEVELS = 4;
    private static final int SUMS = 260;

    Q8_K() {
        super(ElementType.Q8_K);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f32(blocks, at);
        for (int i = 0; i < SIZE; i++) {
            target[from + i] = d * BlockBytes.s8(blocks, at + LEVELS + i);
        }
    }

    @Override
    BlockEncoder encoder() {
        return Q8_K::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        float extreme = Magnitudes.extreme(source, from, SIZE);
        if (extreme == 0) {
            return;
        }
        float inverse = -127 / extreme;
        BlockBytes.putF32(blocks, at, 1 / inverse);
        for (int g = 0; g < SIZE / GROUP; g++) {
            int sum = 0;
            for (int i = g * GROUP; i < (g + 1) * GROUP; i++) {
                byte level = (byte) Math.min(127, Rounding.nearest(inverse * source[from + i]));
                BlockBytes.put8(blocks, at + LEVELS + i, level);
                sum += level;
            }
            BlockBytes.put16(blocks, at + SUMS + 2L * g, sum);
        }
    }
}
