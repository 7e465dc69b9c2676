package dev.stowage.reference.quant;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidTensorException;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * How the elements of one type are stored in a block, and the conversion both ways. There is one for every quantised type and
 * for f32, f16 and bf16, which count as blocks of a single element, so that code which wants floats need not care
 * what it reads from.
 *
 * {@snippet :
 * BlockFormat format = BlockFormat.of(ElementType.Q4_K);
 * MemorySegment row = arena.allocate(format.type().rowBytes(weights.length));
 * format.quantize(weights, 0, weights.length, row, 0);
 * format.dequantize(row, 0, weights, 0, weights.length); // the weights again, rounded to what q4_K can say
 * }
 *
 * <p>Both directions do what ggml's reference functions do, float operation by float operation, so that bytes and
 * floats come out the same. Types for which ggml insists on knowing how important each column is (iq1_s, iq2_xxs and
 * iq2_xs) are quantised as if all columns were equally important.
 *
 * <p>A format has no state: one object serves all threads. Numbers that cannot be quantised do no harm beyond their
 * own block: where an input is NaN, infinite or so large that its square is not finite, its block holds
 * unspecified values.
 */
public sealed interface BlockFormat permits ScalarFormat {

    /** The type whose blocks these are. */
    ElementType type();

    /**
     * Reads blocks into floats.
     *
     * @param blocks memory that holds the blocks, one after the other
     * @param offset the byte at which the first block starts; a block may start at any
     * @param target takes the elements
     * @param from the index in {@code target} of the first element
     * @param count how many elements, a multiple of the elements of a block
     * @throws InvalidTensorException if {@code count} is not a whole number of blocks
     * @throws AccessException if the blocks are outside the memory or the elements outside the array
     * @throws ClosedException if the memory is closed
     */
    void dequantize(MemorySegment blocks, long offset, float[] target, int from, int count);

    /**
     * Writes floats as blocks; every byte of the blocks is written.
     *
     * @param source has the elements
     * @param from the index in {@code source} of the first element
     * @param count how many elements, a multiple of the elements of a block
     * @param blocks memory that takes the blocks, one after the other
     * @param offset the byte at which the first block starts; a block may start at any
     * @throws InvalidTensorException if {@code count} is not a whole number of blocks
     * @throws AccessException if the blocks are outside the memory or it is read-only, or the elements are outside the
     *     array
     * @throws ClosedException if the memory is closed
     */
    void quantize(float[] source, int from, int count, MemorySegment blocks, long offset);

    /**
     * The format of a type.
     *
     * @throws InvalidTensorException if the type is one of whole numbers, or f64, which floats cannot hold
     */
    static BlockFormat of(ElementType type) {
        return BlockFormats.of(type);
    }
}
