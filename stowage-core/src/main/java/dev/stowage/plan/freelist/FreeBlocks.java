package dev.stowage.plan.freelist;

import dev.stowage.error.InvalidPlanException;

/**
 * The free ranges of one chunk, by address. What is freed joins its neighbours. Blocks are named by a handle that is
 * valid until the next change.
 */
abstract class FreeBlocks {

    /** The handle of no block. */
    static final int NONE = -1;

    abstract int count();

    /** The smallest block but the last that holds {@code size} bytes, the later one of equals; or {@link #NONE}. */
    abstract int bestInterior(long size);

    /** The block with the highest address, or {@link #NONE}. */
    abstract int last();

    abstract long offset(int block);

    abstract long size(int block);

    /** Takes {@code size} bytes from the front of a block; a block that is used up disappears. */
    abstract void take(int block, long size);

    /**
     * Gives a range back.
     *
     * @throws InvalidPlanException if a part of it is free already
     */
    abstract void release(long offset, long size);

    static InvalidPlanException notTaken(long offset, long size) {
        return new InvalidPlanException(
                "the " + size + " bytes at offset " + offset + " are not taken, so they cannot be freed");
    }
}
