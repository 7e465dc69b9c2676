package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import java.util.Arrays;

/**
 * Finds the buffers that are live in a range of sections. Buffers are in levels by their lifetime, at most 2^k sections in
 * level k, and in a level sorted by their start, so that a query looks at few that it does not return.
 */
final class LiveIndex {

    private final TimeSections timeSections;
    private final int[] order;
    private final int[] startOfLevel = new int[Integer.SIZE + 1];
    private int[] found = new int[64];
    private int count;

    /** An index of all buffers that are not empty. */
    LiveIndex(TimeSections timeSections, int buffers) {
        this.timeSections = timeSections;
        long[] keys = new long[buffers];
        for (int buffer = 0; buffer < buffers; buffer++) {
            int level = level(buffer);
            keys[buffer] = (long) level << Integer.SIZE | timeSections.first(buffer);
            startOfLevel[level + 1]++;
        }
        for (int level = 0; level < Integer.SIZE; level++) {
            startOfLevel[level + 1] += startOfLevel[level];
        }
        order = IndexSort.ascending(keys);
    }

    /** The smallest k so that a buffer is live in at most 2^k sections; the last level is that of empty buffers. */
    private int level(int buffer) {
        int sections = timeSections.end(buffer) - timeSections.first(buffer);
        return sections == 0 ? Integer.SIZE - 1 : Integer.SIZE - Integer.numberOfLeadingZeros(sections - 1);
    }

    /** The buffers live in one of the sections from {@code first} to {@code end}. */
    int[] live(int first, int end) {
        count = 0;
        for (int level = 0; level < Integer.SIZE - 1; level++) {
            int at = firstAfter(level, first - (1L << level));
            for (; at < startOfLevel[level + 1] && timeSections.first(order[at]) < end; at++) {
                if (timeSections.end(order[at]) > first) {
                    add(order[at]);
                }
            }
        }
        return Arrays.copyOf(found, count);
    }

    private void add(int buffer) {
        if (count == found.length) {
            found = Arrays.copyOf(found, 2 * count);
        }
        found[count++] = buffer;
    }

    private int firstAfter(int level, long section) {
        int low = startOfLevel[level];
        int high = startOfLevel[level + 1];
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timeSections.first(order[middle]) <= section) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
