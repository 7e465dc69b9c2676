package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import dev.stowage.packing.Problem;
import java.util.Arrays;

/**
 * Finds the buffers that make a packing too high. Below the highest buffer, in the fullest section of its lifetime,
 * there must be gaps, or the section would be too full for any packing. The buffer above a gap is kept up by a
 * neighbour that is not live in that section: the blocker. Placed later in the order, it would be elsewhere.
 *
 * <pre>
 *        fullest section
 *            ┌─┼──┐
 *            │ │  │  ◄── the highest buffer
 *          ┌─┴─┼──┴─┐
 *          │   │    │
 *   ┌──────┼┐  │ gap│
 *   │blocker│  │    │
 *   └───────┘┌─┼────┘
 * </pre>
 */
final class Blockers {

    private final Problem problem;
    private final TimeSections timeSections;
    private final long[] loads;

    Blockers(Problem problem, TimeSections timeSections) {
        this.problem = problem;
        this.timeSections = timeSections;
        this.loads = timeSections.loads(problem);
    }

    /**
     * An order with the blockers after the buffers they block.
     *
     * @param afterAll whether they come after all buffers live in the section, rather than right after the blocked one
     */
    int[] delayed(int[] order, long[] offsets, boolean afterAll) {
        int[] column = column(criticalSection(offsets), offsets);
        long[] position = new long[order.length];
        long last = 0;
        for (int at = 0; at < order.length; at++) {
            position[order[at]] = 2L * at;
        }
        for (int buffer : column) {
            last = Math.max(last, position[buffer]);
        }
        int[] blocked = aboveGaps(column, offsets);
        long[] bottoms =
                Arrays.stream(blocked).mapToLong(buffer -> offsets[buffer]).toArray();
        long[] keys = position.clone();
        for (int buffer = 0; buffer < offsets.length; buffer++) {
            int at = Arrays.binarySearch(bottoms, end(buffer, offsets));
            if (at >= 0 && timeSections.together(buffer, blocked[at])) {
                keys[buffer] = Math.max(keys[buffer], (afterAll ? last : position[blocked[at]]) + 1);
            }
        }
        int[] changed = order.clone();
        IndexSort.sort(changed, keys);
        return changed;
    }

    /** The buffers of a column with a gap below them, from the bottom up. */
    private int[] aboveGaps(int[] column, long[] offsets) {
        int[] above = new int[column.length];
        int count = 0;
        long top = 0;
        for (int buffer : column) {
            if (offsets[buffer] > top) {
                above[count++] = buffer;
            }
            top = Math.max(top, offsets[buffer] + problem.size(buffer));
        }
        return Arrays.copyOf(above, count);
    }

    /** The fullest section of the highest buffer. */
    private int criticalSection(long[] offsets) {
        int highest = 0;
        for (int buffer = 1; buffer < offsets.length; buffer++) {
            if (end(buffer, offsets) > end(highest, offsets)) {
                highest = buffer;
            }
        }
        int fullest = timeSections.first(highest);
        for (int section = fullest; section < timeSections.end(highest); section++) {
            fullest = loads[section] > loads[fullest] ? section : fullest;
        }
        return fullest;
    }

    private long end(int buffer, long[] offsets) {
        return problem.size(buffer) == 0 ? 0 : offsets[buffer] + problem.size(buffer);
    }

    /** The buffers live in a section, from the bottom up. */
    private int[] column(int section, long[] offsets) {
        int[] live = new int[offsets.length];
        int count = 0;
        for (int buffer = 0; buffer < offsets.length; buffer++) {
            if (timeSections.first(buffer) <= section && section < timeSections.end(buffer)) {
                live[count++] = buffer;
            }
        }
        int[] column = Arrays.copyOf(live, count);
        IndexSort.sort(column, offsets);
        return column;
    }
}
