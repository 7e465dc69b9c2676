package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import dev.stowage.packing.Problem;
import java.util.Arrays;

/**
 * Time divided into sections, one per maximal set of live buffers: a section ends where a buffer ends after another has
 * started. There are at most as many sections as buffers, and two buffers are live together exactly if they share a
 * section.
 *
 * <pre>
 *     a ├──────────┤
 *     b      ├──────────┤
 *     c                    ├────┤      a and b are live in section 0,
 *       │     section 0  │ sec. 1 │    c in section 1
 * </pre>
 *
 * Empty buffers are live in no section.
 */
final class TimeSections {

    private final int sections;
    private final int[] first;
    private final int[] end;

    TimeSections(Problem problem) {
        int count = problem.count();
        first = new int[count];
        end = new int[count];
        long[] starts = new long[count];
        long[] ends = new long[count];
        for (int buffer = 0; buffer < count; buffer++) {
            starts[buffer] = problem.from(buffer);
            ends[buffer] = problem.to(buffer);
        }
        int[] byStart = IndexSort.ascending(starts);
        int[] byEnd = IndexSort.ascending(ends);
        int section = 0;
        int started = 0;
        boolean grown = false;
        for (int ending : byEnd) {
            while (started < count && starts[byStart[started]] < ends[ending]) {
                int buffer = byStart[started++];
                first[buffer] = section;
                grown |= problem.size(buffer) > 0;
            }
            if (problem.size(ending) == 0) {
                end[ending] = first[ending];
                continue;
            }
            if (grown) {
                section++;
                grown = false;
            }
            end[ending] = section;
        }
        sections = section;
    }

    /** How many sections there are. */
    int sections() {
        return sections;
    }

    /** The first section a buffer is live in. */
    int first(int buffer) {
        return first[buffer];
    }

    /** The section after the last one it is live in. */
    int end(int buffer) {
        return end[buffer];
    }

    /** Whether two non-empty buffers are ever live together. */
    boolean together(int a, int b) {
        return first[a] < end[b] && first[b] < end[a];
    }

    /**
     * For every buffer, how many buffers are live together with it, itself included: all that start before its end, less
     * those that end before its start.
     */
    long[] neighbours() {
        long[] started = new long[sections + 2];
        long[] ended = new long[sections + 2];
        for (int buffer = 0; buffer < first.length; buffer++) {
            started[first[buffer] + 1]++;
            ended[end[buffer] + 1]++;
        }
        for (int section = 1; section < started.length; section++) {
            started[section] += started[section - 1];
            ended[section] += ended[section - 1];
        }
        long[] neighbours = new long[first.length];
        Arrays.setAll(neighbours, buffer -> started[end[buffer]] - ended[first[buffer] + 1]);
        return neighbours;
    }

    /** The bytes live in every section. */
    long[] loads(Problem problem) {
        long[] loads = new long[sections + 1];
        for (int buffer = 0; buffer < first.length; buffer++) {
            loads[first[buffer]] += problem.size(buffer);
            loads[end[buffer]] -= problem.size(buffer);
        }
        for (int section = 1; section <= sections; section++) {
            loads[section] += loads[section - 1];
        }
        return Arrays.copyOf(loads, sections);
    }
}
