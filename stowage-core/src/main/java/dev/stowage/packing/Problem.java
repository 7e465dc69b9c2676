package dev.stowage.packing;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A packing problem (dynamic storage allocation): buffers with a size, a half-open lifetime {@code [from, to)}, an
 * alignment and optionally a fixed offset. Buffers are identified by their index, in the order they were added. Fixed
 * buffers never overlap, so every problem has a solution in large enough memory.
 */
public final class Problem {

    static final long NOT_FIXED = -1;

    private final @Nullable String[] ids;
    private final long[] from;
    private final long[] to;
    private final long[] sizes;
    private final long[] alignments;
    private final long[] fixedOffsets;

    /** Takes ownership of arrays that the builder has checked. */
    Problem(@Nullable String[] ids, long[] from, long[] to, long[] sizes, long[] alignments, long[] fixedOffsets) {
        this.ids = ids;
        this.from = from;
        this.to = to;
        this.sizes = sizes;
        this.alignments = alignments;
        this.fixedOffsets = fixedOffsets;
    }

    /** A builder. */
    public static ProblemBuilder builder() {
        return new ProblemBuilder();
    }

    /** How many buffers there are. */
    public int count() {
        return sizes.length;
    }

    /** The name of a buffer; its index if it has none. */
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

    /** The first moment at which it is no longer live. */
    public long to(int buffer) {
        return to[buffer];
    }

    /** Its offset is a multiple of this; 1 if unaligned. */
    public long alignment(int buffer) {
        return alignments[buffer];
    }

    /** Whether its offset is fixed. */
    public boolean isFixed(int buffer) {
        return fixedOffsets[buffer] != NOT_FIXED;
    }

    /** Its fixed offset, if it has one. */
    public OptionalLong fixedOffset(int buffer) {
        return isFixed(buffer) ? OptionalLong.of(fixedOffsets[buffer]) : OptionalLong.empty();
    }

    /** Its fixed offset, or {@link #NOT_FIXED}. */
    public long fixedOffsetOrNone(int buffer) {
        return fixedOffsets[buffer];
    }

    @Override
    public String toString() {
        return "problem of " + count() + " buffers";
    }
}
