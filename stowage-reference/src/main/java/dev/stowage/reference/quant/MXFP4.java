package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Fp4;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Four-bit floats with a power of two in common, 32 elements to a block: {@code value = fp4(q) * 2^(e - 127)}.
 *
 * <pre>
 *   byte 0      1                            17
 *        ┌──────┬────────────────────────────┐
 *        │ e    │ q as nibbles: 0|16, 1|17 … │
 *        │ u8   │ 2 elements a byte          │
 *        └──────┴────────────────────────────┘
 * </pre>
 */
final class MXFP4 extends ScalarFormat {

    private static final int SIZE = 32;
    private static final int LEVELS = 1;

    /** The exponent of the largest number of {@link Fp4}, 6. */
    private static final int LARGEST_EXPONENT = 2;

    MXFP4() {
        super(ElementType.MXFP4);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = halfScale(BlockBytes.u8(blocks, at));
        for (int i = 0; i < SIZE; i++) {
            target[from + i] = Fp4.doubled(Nibbles.get(blocks, at + LEVELS, SIZE / 2, i)) * d;
        }
    }

    @Override
    BlockEncoder encoder() {
        return MXFP4::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        int exponent = exponent(Magnitudes.largest(source, from, SIZE));
        float d = halfScale(exponent);
        BlockBytes.put8(blocks, at, exponent);
        for (int i = 0; i < SIZE; i++) {
            Nibbles.put(blocks, at + LEVELS, SIZE / 2, i, Fp4.nearest(source[from + i], d));
        }
    }

    /** Half of 2^(e - 127), since the numbers it goes with are doubled. */
    private static float halfScale(int e) {
        return Math.scalb(1f, e - 128);
    }

    private static int exponent(float largest) {
        if (!(largest > 0)) {
            return 0;
        }
        // Rounded to a float on purpose: just below a large power of two the logarithm reaches the whole number.
        float logarithm = (float) (Math.log(largest) / Math.log(2));
        // Below 2^-125 there is no exponent left; as in ggml the number wraps around, and the block becomes zero.
        return Rounding.truncate((float) Math.floor(logarithm) - LARGEST_EXPONENT + 127) & 0xFF;
    }
}
