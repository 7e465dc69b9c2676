package dev.stowage.reference.quant;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.tensor.ElementType;
import java.lang.foreign.MemorySegment;

/**
 * What all formats share: every range is checked before anything is written, then the blocks are gone through one by
 * one. A format itself knows only a single block.
 */
abstract non-sealed class ScalarFormat implements BlockFormat {

    private final ElementType type;

    ScalarFormat(ElementType type) {
        this.type = type;
    }

    /** Reads the block at {@code at} into the elements that start at {@code from}. */
    abstract void decode(MemorySegment blocks, long at, float[] target, int from);

    /** An encoder for one call. */
    abstract BlockEncoder encoder();

    @Override
    public final ElementType type() {
        return type;
    }

    @Override
    public final void dequantize(MemorySegment blocks, long offset, float[] target, int from, int count) {
        long end = requireRanges(blocks, offset, target.length, from, count);
        int element = from;
        for (long at = offset; at < end; at += type.bytesPerBlock()) {
            decode(blocks, at, target, element);
            element += type.blockSize();
        }
    }

    @Override
    public final void quantize(float[] source, int from, int count, MemorySegment blocks, long offset) {
        long end = requireRanges(blocks, offset, source.length, from, count);
        if (blocks.isReadOnly()) {
            throw new AccessException(type + ": the memory to quantise into is read-only; give memory that is not");
        }
        blocks.asSlice(offset, end - offset).fill((byte) 0);
        BlockEncoder encoder = encoder();
        int element = from;
        for (long at = offset; at < end; at += type.bytesPerBlock()) {
            encoder.encode(source, element, blocks, at);
            element += type.blockSize();
        }
    }

    /** Checks all numbers of a call and returns the byte after the last block. */
    private long requireRanges(MemorySegment blocks, long offset, int length, int from, int count) {
        long bytes = type.rowBytes(count);
        if (from < 0 || from > length - count) {
            throw new AccessException(type + ": " + count + " elements from index " + from
                    + " do not fit into an array of " + length + " floats");
        }
        if (offset < 0 || offset > blocks.byteSize() - bytes) {
            throw new AccessException(type + ": " + count + " elements are " + bytes + " bytes, which from offset "
                    + offset + " do not fit into memory of " + blocks.byteSize() + " bytes");
        }
        if (!blocks.scope().isAlive()) {
            throw new ClosedException(type + ": the memory of the blocks is closed; keep it open while it is used");
        }
        return offset + bytes;
    }
}
