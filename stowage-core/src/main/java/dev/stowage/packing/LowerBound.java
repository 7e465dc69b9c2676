package dev.stowage.packing;

import dev.stowage.internal.IndexSort;

/**
 * Lower bounds of the height: the most bytes live at once, and the end of every fixed buffer. A search may prove more.
 */
public final class LowerBound {

    private LowerBound() {}

    /** The larger of the peak load and the highest end of a fixed buffer. */
    public static long of(Problem problem) {
        long highest = 0;
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            if (problem.isFixed(buffer) && problem.size(buffer) > 0) {
                highest = Math.max(highest, problem.fixedOffsetOrNone(buffer) + problem.size(buffer));
            }
        }
        return Math.max(highest, peakLoad(problem));
    }

    /** The most bytes that are live at any one moment. */
    public static long peakLoad(Problem problem) {
        int count = problem.count();
        long[] starts = new long[count];
        long[] ends = new long[count];
        for (int buffer = 0; buffer < count; buffer++) {
            starts[buffer] = problem.from(buffer);
            ends[buffer] = problem.to(buffer);
        }
        int[] byStart = IndexSort.ascending(starts);
        int[] byEnd = IndexSort.ascending(ends);
        long load = 0;
        long peak = 0;
        int ended = 0;
        for (int buffer : byStart) {
            while (problem.to(byEnd[ended]) <= problem.from(buffer)) {
                load -= problem.size(byEnd[ended++]);
            }
            load += problem.size(buffer);
            peak = Math.max(peak, load);
        }
        return peak;
    }
}
