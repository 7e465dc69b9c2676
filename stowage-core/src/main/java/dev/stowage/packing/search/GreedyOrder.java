package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import dev.stowage.packing.Problem;
import java.util.Arrays;
import java.util.function.IntToLongFunction;

/**
 * Orders in which to place buffers, one after another and for good. What comes first lies well, what comes last takes
 * what is left, so each order says what is thought to be hard to place. Among equals the larger goes first, and among those
 * the one that is born first.
 */
public enum GreedyOrder {
    /** The largest first. */
    SIZE,
    /** The largest product of size and lifetime first. */
    AREA,
    /** The longest-living first. */
    LIFETIME,
    /** Those that are live together with the most others first. */
    CONFLICTS,
    /** Those live near the peak before all others, the largest first. */
    PEAK_SIZE,
    /** Those live near the peak before all others, the longest-living first. */
    PEAK_LIFETIME,
    /** As they are born. */
    TIME;

    private static final double NEAR_PEAK = 0.97;

    /** All buffers of a problem in this order. */
    int[] of(Problem problem, TimeSections timeline) {
        int[] order = IndexSort.ascending(keys(problem, problem::from));
        if (this != TIME) {
            IndexSort.sort(order, keys(problem, buffer -> -problem.size(buffer)));
        }
        IntToLongFunction lifetime = buffer -> problem.from(buffer) - problem.to(buffer);
        switch (this) {
            case SIZE, TIME -> {}
            case AREA -> IndexSort.sort(order, keys(problem, buffer -> -area(problem, buffer)));
            case LIFETIME -> IndexSort.sort(order, keys(problem, lifetime));
            case CONFLICTS -> IndexSort.sort(order, fewestConflictsLast(problem, timeline));
            case PEAK_SIZE -> IndexSort.sort(order, peakFirst(problem, timeline));
            case PEAK_LIFETIME -> {
                IndexSort.sort(order, keys(problem, lifetime));
                IndexSort.sort(order, peakFirst(problem, timeline));
            }
        }
        return order;
    }

    private static long[] keys(Problem problem, IntToLongFunction key) {
        long[] keys = new long[problem.count()];
        Arrays.setAll(keys, key);
        return keys;
    }

    /** A number that grows with the area; the bits of a positive double do, and they do not overflow. */
    private static long area(Problem problem, int buffer) {
        double lifetime = (double) problem.to(buffer) - problem.from(buffer);
        return Double.doubleToLongBits(problem.size(buffer) * lifetime);
    }

    /** Everyone born before a buffer dies, less everyone dead before it is born, is live together with it. */
    private static long[] fewestConflictsLast(Problem problem, TimeSections timeline) {
        long[] born = new long[timeline.sections() + 2];
        long[] dead = new long[timeline.sections() + 2];
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            born[timeline.first(buffer) + 1]++;
            dead[timeline.end(buffer) + 1]++;
        }
        for (int section = 1; section < born.length; section++) {
            born[section] += born[section - 1];
            dead[section] += dead[section - 1];
        }
        return keys(problem, buffer -> dead[timeline.first(buffer) + 1] - born[timeline.end(buffer)]);
    }

    /** 0 for buffers that live in a section that is nearly as full as the fullest, 1 for the others. */
    private static long[] peakFirst(Problem problem, TimeSections timeline) {
        long[] loads = timeline.loads(problem);
        double near = NEAR_PEAK * Arrays.stream(loads).max().orElse(0);
        int[] nextPeak = new int[loads.length + 1];
        nextPeak[loads.length] = Integer.MAX_VALUE;
        for (int section = loads.length - 1; section >= 0; section--) {
            nextPeak[section] = loads[section] >= near ? section : nextPeak[section + 1];
        }
        return keys(problem, buffer -> nextPeak[timeline.first(buffer)] < timeline.end(buffer) ? 0 : 1);
    }
}
