package dev.stowage.packing;

import dev.stowage.internal.IndexSort;

/**
 * Heights that no solution can be under, from the problem alone: the bytes live at the fullest moment, and the end of
 * every fixed buffer. A search may prove more.
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
        long[] births = new long[count];
        long[] deaths = new long[count];
        for (int buffer = 0; buffer < count; buffer++) {
            births[buffer] = problem.from(buffer);
            deaths[buffer] = problem.to(buffer);
        }
        int[] byBirth = IndexSort.ascending(births);
        int[] byDeath = IndexSort.ascending(deaths);
        long load = 0;
        long peak = 0;
        int dead = 0;
        for (int buffer : byBirth) {
            while (problem.to(byDeath[dead]) <= problem.from(buffer)) {
                load -= problem.size(byDeath[dead++]);
            }
            load += problem.size(buffer);
            peak = Math.max(peak, load);
        }
        return peak;
    }
}
