package dev.stowage.packing.search;

import dev.stowage.packing.Problem;

/**
 * Places buffers one after another, each into a gap between those already placed that are live with it. The placed ones
 * lie in arrays by offset, so one walk from the bottom sees every gap:
 *
 * <pre>
 *   ┌────┐      ┌─────────┐ ◄─ live with the new one: a gap ends here
 *   │    │      └─────────┘
 *   └────┘  ▲
 *           │   the gap; the buffer on the left is not live then and is not seen
 *        ┌──────────┐ ◄─ live with the new one: a gap begins here
 *        └──────────┘
 * </pre>
 *
 * Memory is linear in the number of buffers. Time is quadratic in it with a tiny constant: tens of thousands of buffers
 * take some tenths of a second, because the walk touches two arrays in order and most often ends early.
 */
final class GapFit {

    private final Problem problem;
    private final TimeSections timeline;
    private final int count;
    private final long[] offsets;

    // What is placed, by ascending offset: the sections it is live in, and its begin and end in memory.
    private final int[] placedFirst;
    private final int[] placedEnd;
    private final long[] placedBegin;
    private final long[] placedTop;
    private int placed;

    GapFit(Problem problem) {
        this(problem, new TimeSections(problem));
    }

    GapFit(Problem problem, TimeSections timeline) {
        this.problem = problem;
        this.timeline = timeline;
        this.count = problem.count();
        this.offsets = new long[count];
        this.placedFirst = new int[count];
        this.placedEnd = new int[count];
        this.placedBegin = new long[count];
        this.placedTop = new long[count];
    }

    /** The offsets given so far; the next packing writes over them. */
    long[] offsets() {
        return offsets;
    }

    /** Every buffer above all others: always possible, never good. */
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

    /** Packs all buffers in an order, the fixed ones before all others, and returns the height. */
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
        int first = timeline.first(buffer);
        int end = timeline.end(buffer);
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
        int first = timeline.first(buffer);
        int end = timeline.end(buffer);
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

    /** Takes the bytes; returns where they end. */
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
        placedFirst[low] = timeline.first(buffer);
        placedEnd[low] = timeline.end(buffer);
        placed++;
        return offset + size;
    }
}
