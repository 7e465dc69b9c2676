package dev.stowage.reference.quant;

import java.lang.foreign.MemorySegment;

/**
 * Converts floats into blocks, one block at a time. An encoder may keep working memory between blocks, so it belongs to
 * the call that asked for it.
 */
@FunctionalInterface
interface BlockEncoder {

    /** Writes the block at {@code at}, whose bytes are all zero, from the elements that start at {@code from}. */
    void encode(float[] source, int from, MemorySegment blocks, long at);
}
