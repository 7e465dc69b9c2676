package dev.stowage.reference;

import dev.stowage.reference.quant.BlockFormat;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * What the other side of a product is rounded to before it meets weights of some type. ggml multiplies quantised weights
 * with numbers of eight bits, in blocks with a scale each, and halves with halves; the rounding is part of what a product
 * of such weights means, and a model's logits show it.
 */
public final class DotType {

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
     * A row as it meets weights of that type. Where a row is no whole number of blocks, or has numbers that no block can
     * hold, it stays as it is.
     */
    static double[] round(double[] row, ElementType weights) {
        ElementType type = of(weights);
        if (type == ElementType.F32 || row.length % type.blockSize() != 0) {
            return row;
        }
        BlockFormat format = BlockFormat.of(type);
        // Floats of any width take infinities, so that they can be rounded all at once.
        int block = type.isQuantized() ? type.blockSize() : Math.max(1, row.length);
        float[] numbers = new float[block];
        MemorySegment bytes = MemorySegment.ofArray(new byte[(int) type.rowBytes(block)]);
        double[] rounded = new double[row.length];
        for (int from = 0; from < row.length; from += block) {
            boolean fits = true;
            for (int i = 0; i < block; i++) {
                numbers[i] = (float) row[from + i];
                fits &= Float.isFinite(numbers[i]) || !type.isQuantized();
            }
            if (fits) {
                bytes.fill((byte) 0);
                format.quantize(numbers, 0, block, bytes, 0);
                format.dequantize(bytes, 0, numbers, 0, block);
            }
            for (int i = 0; i < block; i++) {
                rounded[from + i] = numbers[i];
            }
        }
        return rounded;
    }
}
