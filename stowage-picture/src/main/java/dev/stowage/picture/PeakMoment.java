package dev.stowage.picture;

import dev.stowage.internal.IndexSort;
import dev.stowage.packing.Problem;

/**
 * The first period at which the most bytes are live.
 *
 * @param load the live bytes
 * @param from its start
 * @param to when the next buffer starts or ends
 */
record PeakMoment(long load, long from, long to) {

    /** The fullest moment of a problem that has buffers. */
    static PeakMoment of(Problem problem) {
        int count = problem.count();
        long[] births = new long[count];
        long[] deaths = new long[count];
        for (int buffer = 0; buffer < count; buffer++) {
            births[buffer] = problem.from(buffer);
            deaths[buffer] = problem.to(buffer);
        }
        int[] byBirth = IndexSort.ascending(births);
        int[] byDeath = IndexSort.ascending(deaths);
        PeakMoment peak = new PeakMoment(-1, 0, 0);
        long load = 0;
        int dead = 0;
        for (int born = 0; born < count; born++) {
            long now = births[byBirth[born]];
            while (deaths[byDeath[dead]] <= now) {
                load -= problem.size(byDeath[dead++]);
            }
            load += problem.size(byBirth[born]);
            if (load > peak.load) {
                long next = born + 1 < count ? births[byBirth[born + 1]] : Long.MAX_VALUE;
                peak = new PeakMoment(load, now, Math.min(next, deaths[byDeath[dead]]));
            }
        }
        return peak;
    }

    /** Whether a buffer is live then. */
    boolean holds(Problem problem, int buffer) {
        return problem.from(buffer) <= from && from < problem.to(buffer);
    }
}
