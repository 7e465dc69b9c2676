package dev.stowage.cpu.kernel.codec;

import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;

/**
 * Converts a dense run of elements of one type into floats, exactly as the reference does. Made once per prepared node;
 * called for rows and parts of rows, by several threads at once.
 */
public abstract class RowDecoder {

    /** The decoder of a type; all types with a float value have one. */
    public static RowDecoder of(ElementType type) {
        return switch (type) {
            case F32 -> new FloatCodecs.FloatDecoder();
            case F16 -> new FloatCodecs.HalfDecoder();
            case BF16 -> new FloatCodecs.BrainFloatDecoder();
            case Q8_0 -> new Q8_0Decoder(2);
            case Q8_1 -> new Q8_0Decoder(4);
            case Q4_0 -> new Q4_0Decoder();
            case Q4_1 -> new Q4_1Decoder();
            case Q5_0 -> new Q5_0Decoder();
            case Q5_1 -> new Q5_1Decoder();
            case Q2_K -> new Q2_KDecoder();
            case Q3_K -> new Q3_KDecoder();
            case Q4_K -> new Q4_KDecoder();
            case Q5_K -> new Q5_KDecoder();
            case Q6_K -> new Q6_KDecoder();
            case MXFP4 -> new Mxfp4Decoder();
            case F64, I8, I16, I32, I64 -> new PlainDecoder(type);
            default -> new ReferenceDecoder(BlockFormat.of(type));
        };
    }

    /** Whether a type has a decoder in vector code, and is not decoded element by element. */
    public static boolean hasVectorCode(ElementType type) {
        return !(of(type) instanceof ReferenceDecoder);
    }

    /**
     * Decodes {@code elements} elements, a whole number of blocks, that begin at {@code from}, to floats at {@code to}.
     */
    public abstract void decode(long from, long to, long elements);
}
