package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import java.util.Arrays;

/**
 * The buffer that ends highest among those that start in a range of sections: a tree of maxima over the buffers by their
 * start, so that a change and a question take the logarithm of their number.
 */
final class HighestEnds {

    private final int[] byStart;
    private final int[] positionOf;
    private final int[] startOfSection;
    private final long[] end;

    /** By node of the tree, the buffer that ends highest below it; the leaves are the second half. */
    private final int[] highest;

    /**
     * A tree of all buffers.
     *
     * @param ends where each ends; kept, and changed by {@link #set}
     */
    HighestEnds(TimeSections timeSections, long[] ends) {
        int count = ends.length;
        long[] firsts = new long[count];
        Arrays.setAll(firsts, timeSections::first);
        byStart = IndexSort.ascending(firsts);
        positionOf = new int[count];
        startOfSection = new int[timeSections.sections() + 1];
        end = ends;
        highest = new int[2 * count];
        Arrays.fill(highest, -1);
        for (int at = 0; at < count; at++) {
            positionOf[byStart[at]] = at;
            highest[count + at] = byStart[at];
            if (timeSections.first(byStart[at]) < timeSections.sections()) {
                startOfSection[timeSections.first(byStart[at]) + 1] = at + 1;
            }
        }
        for (int node = count - 1; node > 0; node--) {
            highest[node] = higher(highest[2 * node], highest[2 * node + 1]);
        }
        for (int section = 1; section < startOfSection.length; section++) {
            startOfSection[section] = Math.max(startOfSection[section], startOfSection[section - 1]);
        }
    }

    /** Sets where a buffer ends. */
    void set(int buffer, long newEnd) {
        end[buffer] = newEnd;
        for (int node = (positionOf[buffer] + byStart.length) / 2; node > 0; node /= 2) {
            highest[node] = higher(highest[2 * node], highest[2 * node + 1]);
        }
    }

    private int higher(int a, int b) {
        if (a < 0 || b < 0) {
            return Math.max(a, b);
        }
        return end[b] > end[a] ? b : a;
    }

    /** The buffer that ends highest of those that start from section {@code first} to {@code last}; -1 for none. */
    int highest(int first, int last) {
        int found = -1;
        int low = startOfSection[first] + byStart.length;
        int high = startOfSection[last] + byStart.length;
        for (; low < high; low /= 2, high /= 2) {
            if (low % 2 == 1) {
                found = higher(found, highest[low++]);
            }
            if (high % 2 == 1) {
                found = higher(found, highest[--high]);
            }
        }
        return found;
    }
}
