package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import dev.stowage.packing.Problem;
import java.util.Arrays;

/**
 * Time cut into sections. Between two births nothing new can be in the way, so only the moments matter at which a set of
 * live buffers is largest: a section ends where a buffer dies after another was born. There are at most as many sections
 * as buffers, however long time is, and two buffers live together exactly when they share a section.
 *
 * <pre>
 *     a ├──────────┤
 *     b      ├──────────┤
 *     c                    ├────┤      buffers a, b and c: a lives in section 0,
 *       │     section 0  │ sec. 1 │    b in section 0, c in section 1
 * </pre>
 *
 * Buffers without bytes are in nobody's way and live in no section.
 */
final class TimeSections {

    private final int sections;
    private final int[] first;
    private final int[] end;

    TimeSections(Problem problem) {
        int count = problem.count();
        first = new int[count];
        end = new int[count];
        long[] births = new long[count];
        long[] deaths = new long[count];
        for (int buffer = 0; buffer < count; buffer++) {
            births[buffer] = problem.from(buffer);
            deaths[buffer] = problem.to(buffer);
        }
        int[] byBirth = IndexSort.ascending(births);
        int[] byDeath = IndexSort.ascending(deaths);
        int section = 0;
        int born = 0;
        boolean grown = false;
        for (int dying : byDeath) {
            while (born < count && births[byBirth[born]] < deaths[dying]) {
                int buffer = byBirth[born++];
                first[buffer] = section;
                grown |= problem.size(buffer) > 0;
            }
            if (problem.size(dying) == 0) {
                end[dying] = first[dying];
                continue;
            }
            if (grown) {
                section++;
                grown = false;
            }
            end[dying] = section;
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

    /** Whether two buffers that have bytes are ever live together. */
    boolean together(int a, int b) {
        return first[a] < end[b] && first[b] < end[a];
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
