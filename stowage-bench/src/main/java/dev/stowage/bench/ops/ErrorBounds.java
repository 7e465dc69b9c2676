package dev.stowage.bench.ops;

import dev.stowage.tensor.ElementType;

/** How far the numbers of a case may be from ggml's, as a normalised mean squared error. */
final class ErrorBounds {

    /** Work on f32: nothing but the order of additions differs. */
    static final double F32 = 1e-7;

    /** Functions that ggml looks up in a table of f16 numbers. */
    static final double TABLE = 1e-6;

    /** Quantising, where a number in the middle between two steps may go to either. */
    static final double ROUNDED = 1e-5;

    /** Products of f16 or bf16 factors, where a device may round the other factor too. */
    static final double HALF = 1e-4;

    /** Products with quantised factors, where a device may quantise the other factor too. */
    static final double QUANTIZED = 5e-4;

    /** A whole model: what its products are off by, carried on through all layers. */
    static final double MODEL = 5e-3;

    private ErrorBounds() {}

    /** For a product with a factor of that type. */
    static double ofProduct(ElementType type) {
        return switch (type) {
            case F32 -> F32;
            case F16, BF16 -> HALF;
            default -> QUANTIZED;
        };
    }
}
