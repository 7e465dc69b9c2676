package dev.stowage.reference.quant;

import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * What the other side of a product is rounded to before it meets weights of some type. ggml multiplies quantised weights
 * with numbers of eight bits, in blocks with a scale each, and halves with halves; the rounding is part of what a product
 * of such weights means, and a model's logits show it.
 */
public final class DotType {

    private static final float LARGEST = 127;

    private DotType() {}

    /** The type that numbers are rounded to before they are multiplied with weights of that type; f32 where they are not. */
    public static ElementType of(ElementType weights) {
        return switch (weights) {
            case F16 -> ElementType.F16;
            case BF16 -> ElementType.BF16;
            case Q1_0, Q2_0, Q4_0, Q5_0, Q8_0, IQ4_NL, MXFP4, NVFP4 -> ElementType.Q8_0;
            case Q4_1, Q5_1 -> ElementType.Q8_1;
            case Q2_K, Q3_K, Q4_K, Q5_K, Q6_K -> ElementType.Q8_K;
            case IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S, IQ4_XS, TQ1_0, TQ2_0 -> ElementType.Q8_K;
            default -> ElementType.F32;
        };
    }

    /**
     * A row as it meets weights of that type. Where a row is not a whole number of blocks, it stays as it is, and so does a block
     * with numbers that are not finite.
     */
    public static double[] round(double[] row, ElementType weights) {
        ElementType type = of(weights);
        if (row.length % type.blockSize() != 0) {
            return row;
        }
        return switch (type) {
            case F32 -> row;
            case F16, BF16 -> narrowed(row, BlockFormat.of(type));
            default -> eightBits(row, type.blockSize(), type != ElementType.Q8_K);
        };
    }

    private static double[] narrowed(double[] row, BlockFormat format) {
        float[] numbers = new float[row.length];
        for (int i = 0; i < row.length; i++) {
            numbers[i] = (float) row[i];
        }
        MemorySegment bytes = MemorySegment.ofArray(new short[row.length]);
        format.quantize(numbers, 0, numbers.length, bytes, 0);
        format.dequantize(bytes, 0, numbers, 0, numbers.length);
        double[] narrowed = new double[row.length];
        Arrays.setAll(narrowed, i -> numbers[i]);
        return narrowed;
    }

    /** As ggml's vector code rounds: by the inverse of the scale before that becomes an f16, and to even in between. */
    private static double[] eightBits(double[] row, int block, boolean halfScale) {
        double[] rounded = row.clone();
        for (int from = 0; from < row.length; from += block) {
            float most = 0;
            for (int i = from; i < from + block; i++) {
                most = Math.max(most, Math.abs((float) row[i]));
            }
            if (!Float.isFinite(most)) {
                continue;
            }
            float inverse = most == 0 ? 0 : LARGEST / most;
            float scale = most / LARGEST;
            scale = halfScale ? Float.float16ToFloat(Float.floatToFloat16(scale)) : scale;
            for (int i = from; i < from + block; i++) {
                rounded[i] = (float) Math.rint((float) row[i] * inverse) * scale;
            }
        }
        return rounded;
    }
}
