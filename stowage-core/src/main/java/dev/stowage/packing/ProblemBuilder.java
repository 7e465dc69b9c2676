package dev.stowage.packing;

import dev.stowage.error.InvalidPlanException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Builds a {@link Problem}. A rejected buffer leaves the builder unchanged. */
public final class ProblemBuilder {

    private static final int FIRST_CAPACITY = 64;

    /** The most bytes of all buffers with their padding, so that no sum of two heights overflows in a search. */
    static final long MOST_BYTES = 1L << 61;

    private @Nullable String[] ids = new String[FIRST_CAPACITY];
    private long[] from = new long[FIRST_CAPACITY];
    private long[] to = new long[FIRST_CAPACITY];
    private long[] sizes = new long[FIRST_CAPACITY];
    private long[] alignments = new long[FIRST_CAPACITY];
    private long[] fixedOffsets = new long[FIRST_CAPACITY];
    private int count;
    private long totalBytes;

    ProblemBuilder() {}

    /** Adds an unnamed buffer. */
    public ProblemBuilder add(long from, long to, long size) {
        return put(null, from, to, size, 1, Problem.NOT_FIXED);
    }

    /** Adds a buffer. */
    public ProblemBuilder add(String id, long from, long to, long size) {
        return put(id, from, to, size, 1, Problem.NOT_FIXED);
    }

    /** Adds an unnamed buffer with an alignment. */
    public ProblemBuilder addAligned(long from, long to, long size, long alignment) {
        return put(null, from, to, size, alignment, Problem.NOT_FIXED);
    }

    /** Adds a buffer with an alignment. */
    public ProblemBuilder addAligned(String id, long from, long to, long size, long alignment) {
        return put(id, from, to, size, alignment, Problem.NOT_FIXED);
    }

    /** Adds a buffer at a fixed offset. */
    public ProblemBuilder addFixed(String id, long from, long to, long size, long offset) {
        return addFixed(id, from, to, size, 1, offset);
    }

    /** Adds a buffer at a fixed offset, which must be a multiple of its alignment. */
    public ProblemBuilder addFixed(String id, long from, long to, long size, long alignment, long offset) {
        require(offset >= 0, id, "is fixed at offset " + offset + "; offsets start at 0");
        return put(id, from, to, size, alignment, offset);
    }

    /** How many buffers were added so far; the index of the next one. */
    public int count() {
        return count;
    }

    private ProblemBuilder put(@Nullable String id, long begin, long end, long size, long alignment, long fixed) {
        require(
                begin < end,
                id,
                "is live in [" + begin + ", " + end + "), which is empty; it must end after it begins");
        require(size >= 0, id, "has " + size + " bytes; a size is 0 or more");
        require(alignment >= 1, id, "has alignment " + alignment + "; an alignment is 1 or more");
        require(
                fixed == Problem.NOT_FIXED || fixed % alignment == 0,
                id,
                "is fixed at offset " + fixed + ", which is not a multiple of its alignment " + alignment);
        // No offset exceeds the sum of all sizes, paddings and fixed offsets.
        long left = MOST_BYTES - totalBytes;
        require(
                size <= left && alignment <= left - size && fixed <= left - size - alignment,
                id,
                "has " + size + " bytes at alignment " + alignment + (fixed < 0 ? "" : ", fixed at " + fixed)
                        + ", and all buffers together have more than " + MOST_BYTES
                        + " with it; give sizes in a larger unit");
        totalBytes += size + alignment + Math.max(0, fixed);
        ensureRoom();
        ids[count] = id;
        from[count] = begin;
        to[count] = end;
        sizes[count] = size;
        alignments[count] = alignment;
        fixedOffsets[count] = fixed;
        count++;
        return this;
    }

    private void require(boolean holds, @Nullable String id, String otherwise) {
        if (!holds) {
            throw new InvalidPlanException("buffer '" + (id == null ? Integer.toString(count) : id) + "' " + otherwise);
        }
    }

    private void ensureRoom() {
        if (count == sizes.length) {
            int room = 2 * count;
            ids = Arrays.copyOf(ids, room);
            from = Arrays.copyOf(from, room);
            to = Arrays.copyOf(to, room);
            sizes = Arrays.copyOf(sizes, room);
            alignments = Arrays.copyOf(alignments, room);
            fixedOffsets = Arrays.copyOf(fixedOffsets, room);
        }
    }

    /**
     * The problem with all buffers added so far.
     *
     * @throws InvalidPlanException if two fixed buffers overlap
     */
    public Problem build() {
        Problem problem = new Problem(
                Arrays.copyOf(ids, count),
                Arrays.copyOf(from, count),
                Arrays.copyOf(to, count),
                Arrays.copyOf(sizes, count),
                Arrays.copyOf(alignments, count),
                Arrays.copyOf(fixedOffsets, count));
        FixedBuffers.requireApart(problem);
        return problem;
    }
}
