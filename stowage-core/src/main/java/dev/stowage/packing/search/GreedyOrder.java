package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import dev.stowage.packing.Problem;
import java.util.Arrays;
import java.util.function.IntToLongFunction;

/**
 * Orders in which buffers are placed. The first get good places, so each order ranks what is hard to place. Ties: the
 * larger first, then the one that starts first.
 */
public enum GreedyOrder {
    /** The largest first. */
    SIZE,
    /** The largest product of size and lifetime first. */
    AREA,
    /** The longest lifetime first. */
    LIFETIME,
    /** Those that are live with the most others first. */
    CONFLICTS,
    /** Those live near the peak before all others, the largest first. */
    PEAK_SIZE,
    /** Those live near the peak before all others, the longest lifetime first. */
    PEAK_LIFETIME,
    /** By the start of their lifetime. */
    TIME;

    private static final double NEAR_PEAK = 0.97;

    /** All buffers of a problem in this order. */
    int[] of(Problem problem, TimeSections timeSections) {
        int[] order = IndexSort.ascending(keys(problem, problem::from));
        if (this != TIME) {
            IndexSort.sort(order, keys(problem, buffer -> -problem.size(buffer)));
        }
        IntToLongFunction lifetime = buffer -> problem.from(buffer) - problem.to(buffer);
        switch (this) {
            case SIZE, TIME -> {}
            case AREA -> IndexSort.sort(order, keys(problem, buffer -> -area(problem, buffer)));
            case LIFETIME -> IndexSort.sort(order, keys(problem, lifetime));
            case CONFLICTS -> {
                long[] neighbours = timeSections.neighbours();
                IndexSort.sort(order, keys(problem, buffer -> -neighbours[buffer]));
            }
            case PEAK_SIZE -> IndexSort.sort(order, peakFirst(problem, timeSections));
            case PEAK_LIFETIME -> {
                IndexSort.sort(order, keys(problem, lifetime));
                IndexSort.sort(order, peakFirst(problem, timeSections));
            }
        }
        return order;
    }

    private static long[] keys(Problem problem, IntToLongFunction key) {
        long[] keys = new long[problem.count()];
        Arrays.setAll(keys, key);
        return keys;
    }

    /** A monotonic key of the area: the bits of a positive double, which cannot overflow. */
    private static long area(Problem problem, int buffer) {
        double lifetime = (double) problem.to(buffer) - problem.from(buffer);
        return Double.doubleToLongBits(problem.size(buffer) * lifetime);
    }

    /** 0 for buffers live in a section nearly as full as the fullest, 1 for the others. */
    private static long[] peakFirst(Problem problem, TimeSections timeSections) {
        long[] loads = timeSections.loads(problem);
        double near = NEAR_PEAK * Arrays.stream(loads).max().orElse(0);
        int[] nextPeak = new int[loads.length + 1];
        nextPeak[loads.length] = Integer.MAX_VALUE;
        for (int section = loads.length - 1; section >= 0; section--) {
            nextPeak[section] = loads[section] >= near ? section : nextPeak[section + 1];
        }
        return keys(problem, buffer -> nextPeak[timeSections.first(buffer)] < timeSections.end(buffer) ? 0 : 1);
    }
}
