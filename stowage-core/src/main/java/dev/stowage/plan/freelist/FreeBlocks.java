package dev.stowage.plan.freelist;

import dev.stowage.error.InvalidPlanException;

/**
 * The free blocks of one chunk, by address; freed ranges are merged with their neighbours. A block is identified by a
 * handle that is valid until the next change.
 */
abstract class FreeBlocks {

    /** No block. */
    static final int NONE = -1;

    abstract int count();

    /** The smallest block except the last that holds {@code size} bytes, the later of equals; or {@link #NONE}. */
    abstract int bestInterior(long size);

    /** The block with the highest address, or {@link #NONE}. */
    abstract int last();

    abstract long offset(int block);

    abstract long size(int block);

    /** Takes {@code size} bytes from the front of a block; an empty block is removed. */
    abstract void take(int block, long size);

    /**
     * Frees a range.
     *
     * @throws InvalidPlanException if a part of it is already free
     */
    abstract void release(long offset, long size);

    static InvalidPlanException notTaken(long offset, long size) {
        return new InvalidPlanException(
                "the " + size + " bytes at offset " + offset + " are not taken, so they cannot be freed");
    }
}
