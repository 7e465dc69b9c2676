package dev.stowage.packing.search;

import dev.stowage.packing.Problem;

/**
 * Places buffers one by one, each in a gap between the placed ones that are live with it. Placed buffers are stored in
 * arrays by offset, so one scan from the bottom finds every gap:
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
 * Memory is linear, time quadratic in the number of buffers, with a small constant: the scan is sequential and usually
 * ends early.
 */
final class GapFit {

    private final Problem problem;
    private final TimeSections timeSections;
    private final int count;
    private final long[] offsets;

    // The placed buffers by ascending offset: their live sections, and their start and end in memory.
    private final int[] placedFirst;
    private final int[] placedEnd;
    private final long[] placedBegin;
    private final long[] placedTop;
    private int placed;

    GapFit(Problem problem) {
        this(problem, new TimeSections(problem));
    }

    GapFit(Problem problem, TimeSections timeSections) {
        this.problem = problem;
        this.timeSections = timeSections;
        this.count = problem.count();
        this.offsets = new long[count];
        this.placedFirst = new int[count];
        this.placedEnd = new int[count];
        this.placedBegin = new long[count];
        this.placedTop = new long[count];
    }

    /** The offsets so far; the next packing overwrites them. */
    long[] offsets() {
        return offsets;
    }

    /** Every buffer above all others: always possible. */
    long[] stacked() {
        long top = 0;
        for (int buffer = 0; buffer < count; buffer++) {
            offsets[buffer] = Math.max(0, problem.fixedOffsetOrNone(buffer));
            top = Math.max(top, problem.isFixed(buffer) ? offsets[buffer] + problem.size(buffer) : 0);
        }
        for (int buffer = 0; buffer < count; buffer++) {
            if (!problem.isFixed(buffer) && problem.size(buffer) > 0) {
                offsets[buffer] = SizeUnit.roundUp(top, problem.alignment(buffer));
                top = offsets[buffer] + problem.size(buffer);
            }
        }
        return offsets.clone();
    }

    /** Packs all buffers in order, the fixed ones first, and returns the height. */
    long pack(int[] order, boolean bestGap) {
        placed = 0;
        long height = 0;
        for (int buffer : order) {
            if (problem.isFixed(buffer)) {
                height = Math.max(height, put(buffer, problem.fixedOffsetOrNone(buffer)));
            }
        }
        for (int buffer : order) {
            if (!problem.isFixed(buffer)) {
                long offset = problem.size(buffer) == 0 ? 0 : bestGap ? bestGap(buffer) : lowestGap(buffer);
                height = Math.max(height, put(buffer, offset));
            }
        }
        return height;
    }

    /** The lowest offset at which the buffer fits. */
    private long lowestGap(int buffer) {
        int first = timeSections.first(buffer);
        int end = timeSections.end(buffer);
        long size = problem.size(buffer);
        long alignment = problem.alignment(buffer);
        long offset = 0;
        for (int at = 0; at < placed; at++) {
            if (placedFirst[at] < end && first < placedEnd[at]) {
                if (placedBegin[at] - offset >= size) {
                    return offset;
                }
                if (placedTop[at] > offset) {
                    offset = SizeUnit.roundUp(placedTop[at], alignment);
                }
            }
        }
        return offset;
    }

    /** The offset in the smallest gap in which the buffer fits. */
    private long bestGap(int buffer) {
        int first = timeSections.first(buffer);
        int end = timeSections.end(buffer);
        long size = problem.size(buffer);
        long alignment = problem.alignment(buffer);
        long offset = 0;
        long best = -1;
        long bestGap = Long.MAX_VALUE;
        for (int at = 0; at < placed; at++) {
            if (placedFirst[at] < end && first < placedEnd[at]) {
                long gap = placedBegin[at] - offset;
                if (gap >= size && gap < bestGap) {
                    bestGap = gap;
                    best = offset;
                }
                if (placedTop[at] > offset) {
                    offset = SizeUnit.roundUp(placedTop[at], alignment);
                }
            }
        }
        return best >= 0 ? best : offset;
    }

    /** Places a buffer; returns its end. */
    private long put(int buffer, long offset) {
        offsets[buffer] = offset;
        long size = problem.size(buffer);
        if (size == 0) {
            return 0;
        }
        int low = 0;
        int high = placed;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (placedBegin[middle] <= offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        int moved = placed - low;
        System.arraycopy(placedBegin, low, placedBegin, low + 1, moved);
        System.arraycopy(placedTop, low, placedTop, low + 1, moved);
        System.arraycopy(placedFirst, low, placedFirst, low + 1, moved);
        System.arraycopy(placedEnd, low, placedEnd, low + 1, moved);
        placedBegin[low] = offset;
        placedTop[low] = offset + size;
        placedFirst[low] = timeSections.first(buffer);
        placedEnd[low] = timeSections.end(buffer);
        placed++;
        return offset + size;
    }
}
