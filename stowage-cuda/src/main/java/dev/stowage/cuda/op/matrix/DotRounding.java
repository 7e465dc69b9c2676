package dev.stowage.cuda.op.matrix;

import dev.stowage.tensor.ElementType;

/**
 * What the other factor of weights is rounded to before it is multiplied with them. ggml's processor kernels do so, and
 * the logits of a model show it: quantised weights meet numbers of eight bits in blocks with a scale each, halves meet
 * halves.
 */
public enum DotRounding {
    /** Floats stay as they are. */
    NONE,
    F16,
    BF16,
    /** Eight bits, the scale of every 32 an f16. */
    BLOCKS_OF_32,
    /** Eight bits, the scale of every 256 an f32. */
    BLOCKS_OF_256;

    public static DotRounding of(ElementType weights) {
        return switch (weights) {
            case F16 -> F16;
            case BF16 -> BF16;
            default ->
                !weights.isQuantized()
                        ? NONE
                        : weights.blockSize() == BLOCKS_OF_256.block() ? BLOCKS_OF_256 : BLOCKS_OF_32;
        };
    }

    /** How many elements have a scale together; 1 where there are no scales. */
    int block() {
        return switch (this) {
            case NONE, F16, BF16 -> 1;
            case BLOCKS_OF_32 -> 32;
            case BLOCKS_OF_256 -> 256;
        };
    }

    /** The ending of the names of kernels that round tokens for tensor cores in this way. */
    public String suffix() {
        return isBlocks() ? Integer.toString(block()) : halfType().suffix();
    }

    /** The type that tensor cores multiply then. */
    HalfType halfType() {
        return this == BF16 ? HalfType.BF16 : HalfType.F16;
    }

    boolean isBlocks() {
        return block() > 1;
    }
}
