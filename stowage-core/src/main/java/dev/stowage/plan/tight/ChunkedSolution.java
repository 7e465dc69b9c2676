package dev.stowage.plan.tight;

import dev.stowage.internal.ByteSums;
import dev.stowage.packing.PackingResult;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A chunk and an offset for every buffer of a packing problem, in the units of the problem. The arrays are not changed.
 *
 * @param chunks by buffer, its chunk
 * @param offsets by buffer, its offset in the chunk
 * @param heights by chunk, its size
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record ChunkedSolution(int[] chunks, long[] offsets, long[] heights) {

    static ChunkedSolution inOneChunk(PackingResult packed) {
        long[] offsets = new long[packed.solution().count()];
        Arrays.setAll(offsets, packed.solution()::offset);
        return new ChunkedSolution(new int[offsets.length], offsets, new long[] {packed.height()});
    }

    int chunkCount() {
        return heights.length;
    }

    /** The size of all chunks. */
    long size() {
        return ByteSums.sum(heights);
    }

    /** The buffers in a chunk. */
    int[] members(int chunk) {
        return IntStream.range(0, chunks.length)
                .filter(buffer -> chunks[buffer] == chunk)
                .toArray();
    }

    /** The same with one chunk packed again, if that is lower. */
    ChunkedSolution withChunk(int chunk, int[] members, PackingResult packed) {
        if (packed.height() >= heights[chunk]) {
            return this;
        }
        long[] newOffsets = offsets.clone();
        for (int i = 0; i < members.length; i++) {
            newOffsets[members[i]] = packed.solution().offset(i);
        }
        long[] newHeights = heights.clone();
        newHeights[chunk] = packed.height();
        return new ChunkedSolution(chunks, newOffsets, newHeights);
    }
}
