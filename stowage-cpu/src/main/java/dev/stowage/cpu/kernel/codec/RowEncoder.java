package dev.stowage.cpu.kernel.codec;

import dev.stowage.tensor.ElementType;

/**
 * Converts a dense run of floats into elements of one type, exactly as the reference does. Made once per prepared node;
 * called for rows and parts of rows, by several threads at once.
 */
public abstract class RowEncoder {

    /** The encoder of a type; all types that can be written have one. */
    public static RowEncoder of(ElementType type) {
        return switch (type) {
            case F32 -> new FloatCodecs.FloatEncoder();
            case F16 -> new FloatCodecs.HalfEncoder();
            case BF16 -> new FloatCodecs.BrainFloatEncoder();
            case Q8_0 -> new Q8_0Encoder();
            case Q4_0 -> new Q4_0Encoder();
            case Q4_1 -> new Q4_1Encoder();
            case Q5_0 -> new Q5_0Encoder();
            case Q5_1 -> new Q5_1Encoder();
            case F64, I8, I16, I32, I64 -> new PlainEncoder(type);
            default -> new ReferenceEncoder(type);
        };
    }

    /** Encodes {@code elements} floats, a whole number of blocks, that begin at {@code from}, to {@code to}. */
    public abstract void encode(long from, long to, long elements);
}
