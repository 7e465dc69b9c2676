package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Fp4;
import dev.stowage.reference.quant.bits.Nibbles;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Four-bit floats with an eight-bit float in common for every 16 of the 64 elements: {@code value = fp4(q) * d}.
 *
 * <pre>
 *   byte 0                 4         12        20        28        36
 *        ┌────┬────┬────┬────┬─────────┬─────────┬─────────┬─────────┐
 *        │ d0 │ d1 │ d2 │ d3 │ q0…q15  │ q16…q31 │ q32…q47 │ q48…q63 │
 *        │    each e4m3      │ nibbles: 0|8, 1|9 …                   │
 *        └────┴────┴────┴────┴─────────┴─────────┴─────────┴─────────┘
 * </pre>
 *
 * <p>The scales have four bits of exponent, with a bias of 7, and three of fraction; the sign bit is not used.
 */
final class NVFP4 extends ScalarFormat {

    private static final int SIZE = 64;
    private static final int GROUP = 16;
    private static final int LEVELS = 4;

    private static final int NOT_A_NUMBER = 0x7F;
    private static final int LARGEST = 0x7E;
    private static final int TOP_EXPONENT = 15 << 3;

    NVFP4() {
        super(ElementType.NVFP4);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        for (int i = 0; i < SIZE; i++) {
            float d = halfScale(BlockBytes.u8(blocks, at + i / GROUP));
            target[from + i] = Fp4.doubled(Nibbles.get(blocks, at + LEVELS, GROUP / 2, i)) * d;
        }
    }

    @Override
    BlockEncoder encoder() {
        return NVFP4::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        for (int group = 0; group < SIZE / GROUP; group++) {
            // 6 is the largest number of four bits.
            int code = scaleCode(Magnitudes.largest(source, from + group * GROUP, GROUP) / 6);
            BlockBytes.put8(blocks, at + group, code);
            float d = halfScale(code);
            for (int i = group * GROUP; i < (group + 1) * GROUP; i++) {
                Nibbles.put(blocks, at + LEVELS, GROUP / 2, i, Fp4.nearest(source[from + i], d));
            }
        }
    }

    /** Half of what a scale says, since the numbers it goes with are doubled. */
    private static float halfScale(int code) {
        if (code == NOT_A_NUMBER) {
            return 0;
        }
        int exponent = (code >>> 3) & 0xF;
        int fraction = code & 7;
        return exponent == 0 ? Math.scalb((float) fraction, -10) : Math.scalb((float) (8 + fraction), exponent - 11);
    }

    /** The code of the nearest scale, halves upwards; like ggml it takes all from 256 on for the largest. */
    private static int scaleCode(float scale) {
        if (!(scale > 0)) {
            return 0;
        }
        if (Math.getExponent(scale) < -6) {
            return Math.min(7, (int) (scale * 512 + 0.5f));
        }
        // An f32 has 20 more bits of fraction and a bias of 127; a fraction rounded up to 8 carries into the exponent.
        int code = ((Float.floatToRawIntBits(scale) + (1 << 19)) >>> 20) - ((127 - 7) << 3);
        return code >= TOP_EXPONENT ? LARGEST : code;
    }
}
