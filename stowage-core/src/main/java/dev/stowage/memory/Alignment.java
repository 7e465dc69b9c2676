package dev.stowage.memory;

import dev.stowage.error.AllocationException;
import dev.stowage.tensor.Tensor;

/** Arithmetic with alignments, which are powers of two, and with the padded sizes that follow from them. */
final class Alignment {

    private Alignment() {}

    /** Whether {@code value}, taken as an unsigned number, is a multiple of {@code alignment}. */
    static boolean isMultiple(long value, long alignment) {
        return (value & (alignment - 1)) == 0;
    }

    /** The bytes from {@code address} up to the next multiple of {@code alignment}; 0 if it is one. */
    static long gap(long address, long alignment) {
        return -address & (alignment - 1);
    }

    /**
     * The bytes {@code tensor} takes in memory of that type, up to the next multiple of the type's alignment.
     *
     * @throws AllocationException if that is more than a {@code long} can count
     */
    static long paddedSize(BufferType type, Tensor tensor) {
        long size = type.allocationSize(tensor);
        long gap = gap(size, type.alignment());
        if (size > Long.MAX_VALUE - gap) {
            throw new AllocationException(
                    tensor.describe() + " takes " + size + " bytes of " + type.name()
                            + ", which padded to multiples of " + type.alignment() + " are more than can be counted",
                    type.name(),
                    size,
                    type.maxBufferSize());
        }
        return size + gap;
    }

    /**
     * Returns {@code alignment} if a buffer type can have it.
     *
     * @throws AllocationException if it is not a power of two
     */
    static long requirePowerOfTwo(long alignment, String typeName) {
        if (alignment <= 0 || Long.bitCount(alignment) != 1) {
            throw new AllocationException(
                    "the buffer type " + typeName + " cannot have the alignment " + alignment
                            + ": take a power of two, such as 32 or 64",
                    typeName,
                    0,
                    -1);
        }
        return alignment;
    }
}
