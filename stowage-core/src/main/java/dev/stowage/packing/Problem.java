package dev.stowage.packing;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Buffers that want a place in memory: each has a size, a half-open lifetime {@code [from, to)}, an alignment and perhaps
 * an offset it must have. Buffers are known by their index, in the order they were added; everything lies in arrays, so
 * that tens of thousands of them cost little. A problem always has a solution, if memory is large enough: buffers that
 * are fixed and live together never overlap.
 */
public final class Problem {

    static final long NOT_FIXED = -1;

    private final @Nullable String[] ids;
    private final long[] from;
    private final long[] to;
    private final long[] sizes;
    private final long[] alignments;
    private final long[] fixedOffsets;

    /** Takes arrays that the builder has checked and gives away. */
    Problem(@Nullable String[] ids, long[] from, long[] to, long[] sizes, long[] alignments, long[] fixedOffsets) {
        this.ids = ids;
        this.from = from;
        this.to = to;
        this.sizes = sizes;
        this.alignments = alignments;
        this.fixedOffsets = fixedOffsets;
    }

    /** An empty problem to add buffers to. */
    public static ProblemBuilder builder() {
        return new ProblemBuilder();
    }

    /** How many buffers there are. */
    public int count() {
        return sizes.length;
    }

    /** What the buffer is called; its index where it was given no name. */
    public String id(int buffer) {
        String id = ids[buffer];
        return id == null ? Integer.toString(buffer) : id;
    }

    /** The bytes it needs; may be zero. */
    public long size(int buffer) {
        return sizes[buffer];
    }

    /** The first moment at which it is live. */
    public long from(int buffer) {
        return from[buffer];
    }

    /** The first moment at which it is live no longer. */
    public long to(int buffer) {
        return to[buffer];
    }

    /** What its offset must be a multiple of; 1 where that does not matter. */
    public long alignment(int buffer) {
        return alignments[buffer];
    }

    /** Whether it must lie at a given offset. */
    public boolean isFixed(int buffer) {
        return fixedOffsets[buffer] != NOT_FIXED;
    }

    /** The offset it must have, if there is one. */
    public OptionalLong fixedOffset(int buffer) {
        return isFixed(buffer) ? OptionalLong.of(fixedOffsets[buffer]) : OptionalLong.empty();
    }

    /** The offset it must have, or {@link #NOT_FIXED}. */
    public long fixedOffsetOrNone(int buffer) {
        return fixedOffsets[buffer];
    }

    @Override
    public String toString() {
        return "problem of " + count() + " buffers";
    }
}
