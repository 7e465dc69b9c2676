package dev.stowage.plan.freelist;

import dev.stowage.error.InvalidPlanException;
import java.util.Arrays;

/**
 * Best-fit allocation of offsets without memory, exactly as {@code ggml_dyn_tallocr}. Memory is a list of
 * <em>chunks</em>, each of which becomes one buffer; a chunk grows up to the maximum buffer size, and its high-water
 * mark is the size of the buffer.
 *
 * <pre>
 *   chunk 0  |#####|..|####|.....|##|................  ~  limit
 *                   \        \        last block: the tail, taken only when no hole fits
 *                    holes: the smallest that fits is taken, the later one of equals
 *                                    ^ high-water mark: no byte after it was ever used
 * </pre>
 *
 * <ol>
 *   <li>Of all blocks but a chunk's last, the smallest that fits; a later chunk with such a block wins over an earlier.
 *   <li>Else of the last blocks that fit, the one that leaves the least unused below its high-water mark, or, where all
 *       would grow their chunk, the one that grows least; the earlier chunk of equals.
 *   <li>Else a new chunk.
 * </ol>
 *
 * Sizes are rounded up to the alignment. Unlike ggml's there is no limit on blocks or chunks. Not thread-safe.
 */
public final class FreeList {

    /** The most blocks in ggml's list; larger lists use trees. Graphs of models have a few dozen. */
    private static final int SMALL_LIMIT = 256;

    /** Large enough never to be reached, small enough that adding sizes to it cannot overflow. */
    private static final long UNLIMITED = Long.MAX_VALUE / 2;

    private final long alignment;
    private final long chunkLimit;
    private FreeBlocks[] chunks = new FreeBlocks[1];
    private long[] highWater = new long[1];
    private int chunkCount;
    private int lastChunk;

    /**
     * @param alignment a power of two; every offset is a multiple of it
     * @param maxChunkSize the largest chunk, exceeded only by a chunk that holds one single larger allocation
     */
    public FreeList(long alignment, long maxChunkSize) {
        if (Long.bitCount(alignment) != 1 || alignment < 0) {
            throw new InvalidPlanException("an alignment must be a power of two, not " + alignment);
        }
        if (maxChunkSize < 0) {
            throw new InvalidPlanException("the largest chunk cannot have " + maxChunkSize + " bytes");
        }
        this.alignment = alignment;
        this.chunkLimit = Math.min(maxChunkSize, UNLIMITED);
    }

    /** A size rounded up to the alignment. */
    public long padded(long size) {
        if (size < 0 || size > UNLIMITED) {
            throw new InvalidPlanException("cannot plan " + size + " bytes in one piece");
        }
        return (size + alignment - 1) & -alignment;
    }

    /** Allocates {@code size} bytes and returns their offset in {@link #chunk()}. */
    public long allocate(long size) {
        long needed = padded(size);
        for (int chunk = chunkCount - 1; chunk >= 0; chunk--) {
            int hole = chunks[chunk].bestInterior(needed);
            if (hole != FreeBlocks.NONE) {
                return take(chunk, hole, needed);
            }
        }
        int chunk = chunkWithTail(needed);
        if (chunk < 0) {
            chunk = addChunk(needed);
        }
        return take(chunk, chunks[chunk].last(), needed);
    }

    private long take(int chunk, int block, long needed) {
        FreeBlocks blocks = chunks[chunk];
        long offset = blocks.offset(block);
        blocks.take(block, needed);
        highWater[chunk] = Math.max(highWater[chunk], offset + needed);
        lastChunk = chunk;
        return offset;
    }

    /** The chunk of the latest {@link #allocate}. */
    public int chunk() {
        return lastChunk;
    }

    /**
     * Frees {@code size} bytes at {@code offset} of a chunk.
     *
     * @throws InvalidPlanException if that range is not allocated
     */
    public void free(int chunk, long offset, long size) {
        long freed = padded(size);
        if (chunk < 0 || chunk >= chunkCount || offset < 0 || offset > highWater[chunk] - freed) {
            throw FreeBlocks.notTaken(offset, freed);
        }
        FreeBlocks blocks = chunks[chunk];
        blocks.release(offset, freed);
        if (blocks.count() > SMALL_LIMIT && blocks instanceof SmallFreeBlocks small) {
            chunks[chunk] = new IndexedFreeBlocks(small);
        }
    }

    /** The high-water mark of each chunk. */
    public long[] chunkSizes() {
        return Arrays.copyOf(highWater, chunkCount);
    }

    private int chunkWithTail(long needed) {
        int best = -1;
        long bestRest = Long.MIN_VALUE;
        for (int chunk = 0; chunk < chunkCount; chunk++) {
            FreeBlocks blocks = chunks[chunk];
            int tail = blocks.last();
            if (tail == FreeBlocks.NONE || blocks.size(tail) < needed) {
                continue;
            }
            long rest = highWater[chunk] - blocks.offset(tail) - needed;
            boolean growsLess = bestRest < 0 && rest > bestRest;
            boolean wastesLess = rest >= 0 && rest < bestRest;
            if (growsLess || wastesLess) {
                best = chunk;
                bestRest = rest;
            }
        }
        return best;
    }

    private int addChunk(long needed) {
        if (chunkCount == chunks.length) {
            chunks = Arrays.copyOf(chunks, chunkCount * 2);
            highWater = Arrays.copyOf(highWater, chunkCount * 2);
        }
        chunks[chunkCount] = new SmallFreeBlocks(Math.max(needed, chunkLimit));
        return chunkCount++;
    }
}
