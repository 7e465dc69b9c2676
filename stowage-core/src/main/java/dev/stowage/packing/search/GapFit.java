package dev.stowage.packing.search;

import dev.stowage.packing.Problem;
import java.util.function.BooleanSupplier;

/**
 * Places buffers one by one, each in a gap between the placed ones that are live with it:
 *
 * <pre>
 *   ┌────┐      ┌─────────┐ ◄─ live with the new one: a gap ends here
 *   │    │      └─────────┘
 *   └────┘  ▲
 *           │   the gap; the buffer on the left is not live then and is skipped
 *        ┌──────────┐ ◄─ live with the new one: a gap begins here
 *        └──────────┘
 * </pre>
 *
 * Memory is linear; time grows with the pairs of buffers that are live together ({@link PlacedBuffers}).
 */
final class GapFit {

    /** The height of a packing that was stopped. */
    static final long STOPPED = Long.MAX_VALUE;

    private static final int BUFFERS_BETWEEN_LOOKS = 32;

    private final Problem problem;
    private final TimeSections timeSections;
    private final long[] offsets;
    private final PlacedBuffers placed;

    GapFit(Problem problem, TimeSections timeSections) {
        this.problem = problem;
        this.timeSections = timeSections;
        this.offsets = new long[problem.count()];
        this.placed = new PlacedBuffers(timeSections, problem.count());
    }

    /** The offsets of the last packing; the next one overwrites them. */
    long[] offsets() {
        return offsets;
    }

    /**
     * Packs all buffers in order, the fixed ones first, and returns the height; {@link #STOPPED} if {@code stop} ended it. The
     * first buffer that ends at {@code limit} or above ends it too: its end is returned, and the others have no offsets.
     */
    long pack(int[] order, boolean smallestGap, long limit, BooleanSupplier stop) {
        placed.clear();
        long height = 0;
        for (int buffer : order) {
            if (problem.isFixed(buffer)) {
                height = Math.max(height, put(buffer, problem.fixedOffsetOrNone(buffer)));
            }
        }
        int untilLook = BUFFERS_BETWEEN_LOOKS;
        for (int buffer : order) {
            if (--untilLook == 0) {
                untilLook = BUFFERS_BETWEEN_LOOKS;
                if (stop.getAsBoolean()) {
                    return STOPPED;
                }
            }
            if (!problem.isFixed(buffer)) {
                height = Math.max(height, put(buffer, gap(buffer, smallestGap)));
                if (height >= limit) {
                    return height;
                }
            }
        }
        return height;
    }

    private long gap(int buffer, boolean smallestGap) {
        long size = problem.size(buffer);
        if (size == 0) {
            return 0;
        }
        int first = timeSections.first(buffer);
        int end = timeSections.end(buffer);
        long alignment = problem.alignment(buffer);
        return smallestGap
                ? placed.smallestGap(first, end, size, alignment)
                : placed.lowestGap(first, end, size, alignment);
    }

    /** Places a buffer; returns its end. */
    private long put(int buffer, long offset) {
        offsets[buffer] = offset;
        long size = problem.size(buffer);
        if (size == 0) {
            return 0;
        }
        placed.add(timeSections.first(buffer), timeSections.end(buffer), offset, offset + size);
        return offset + size;
    }
}
