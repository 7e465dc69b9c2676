package dev.stowage.reference.quant;

import dev.stowage.reference.quant.bits.BlockBytes;
import dev.stowage.reference.quant.bits.Rounding;
import dev.stowage.reference.quant.search.Magnitudes;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * Weights that are -1, 0 or 1 times a scale, 256 to a block, up to five in a byte: {@code value = (q - 1) * d}.
 *
 * <pre>
 *   byte 0                  32                 48                52     54
 *        ┌──────────────────┬──────────────────┬─────────────────┬──────┐
 *        │ elements 0…159   │ 160…239          │ 240…255         │ d    │
 *        │ 0|32|64|96|128 … │ 0|16|32|48|64 …  │ 0|4|8|12 …      │ f16  │
 *        └──────────────────┴──────────────────┴─────────────────┴──────┘
 * </pre>
 *
 * <p>A byte is a fraction in base three: five digits {@code q}, the first the most significant, make a number below
 * 243, which is stretched to 256 and rounded up. Multiplying by three then pushes one digit after the other out of the
 * top of the byte. The last four bytes have only four digits and a zero.
 */
final class TQ1_0 extends ScalarFormat {

    private static final int SCALE = 52;
    private static final int DIGITS = 5;

    TQ1_0() {
        super(ElementType.TQ1_0);
    }

    @Override
    void decode(MemorySegment blocks, long at, float[] target, int from) {
        float d = BlockBytes.f16(blocks, at + SCALE);
        unpack(blocks, at, 32, 5, target, from, d);
        unpack(blocks, at + 32, 16, 5, target, from + 160, d);
        unpack(blocks, at + 48, 4, 4, target, from + 240, d);
    }

    private static void unpack(
            MemorySegment blocks, long at, int bytes, int digits, float[] target, int from, float d) {
        for (int j = 0; j < bytes; j++) {
            int fraction = BlockBytes.u8(blocks, at + j);
            for (int digit = 0; digit < digits; digit++) {
                target[from + digit * bytes + j] = (((fraction * 3) >>> 8) - 1) * d;
                fraction = (fraction * 3) & 0xFF;
            }
        }
    }

    @Override
    BlockEncoder encoder() {
        return TQ1_0::encode;
    }

    private static void encode(float[] source, int from, MemorySegment blocks, long at) {
        float d = Magnitudes.largest(source, from, 256);
        float inverse = Magnitudes.inverse(d);
        BlockBytes.putF16(blocks, at + SCALE, d);
        pack(source, from, inverse, 5, blocks, at, 32);
        pack(source, from + 160, inverse, 5, blocks, at + 32, 16);
        pack(source, from + 240, inverse, 4, blocks, at + 48, 4);
    }

    private static void pack(
            float[] source, int from, float inverse, int digits, MemorySegment blocks, long at, int bytes) {
        for (int j = 0; j < bytes; j++) {
            int number = 0;
            for (int digit = 0; digit < DIGITS; digit++) {
                number *= 3;
                if (digit < digits) {
                    number += Rounding.halfAway(source[from + digit * bytes + j] * inverse) + 1;
                }
            }
            BlockBytes.put8(blocks, at + j, Math.ceilDiv((number & 0xFF) * 256, 243));
        }
    }
}
