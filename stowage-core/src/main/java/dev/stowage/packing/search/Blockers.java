package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import dev.stowage.packing.Problem;
import java.util.Arrays;

/**
 * Finds out who is to blame for a packing that is too high. Under the highest buffer, in the fullest section of its life,
 * there must be gaps, for otherwise the section would be too full for any packing. Above a gap lies a buffer that could
 * not go lower because of a neighbour that is not live in that section: the blocker. Had it come later in the order, it
 * would lie elsewhere.
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
    private final TimeSections timeline;
    private final long[] loads;

    Blockers(Problem problem, TimeSections timeline) {
        this.problem = problem;
        this.timeline = timeline;
        this.loads = timeline.loads(problem);
    }

    /**
     * An order in which the blockers come after whom they block.
     *
     * @param afterAll whether they come after everyone live in the section, rather than right after the blocked one
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
        long[] keys = position.clone();
        long top = 0;
        for (int buffer : column) {
            if (offsets[buffer] > top) {
                delayBlockers(buffer, offsets, afterAll ? last : position[buffer], keys);
            }
            top = Math.max(top, offsets[buffer] + problem.size(buffer));
        }
        int[] changed = order.clone();
        IndexSort.sort(changed, keys);
        return changed;
    }

    /** The fullest section of the highest buffer. */
    private int criticalSection(long[] offsets) {
        int highest = 0;
        for (int buffer = 1; buffer < offsets.length; buffer++) {
            if (end(buffer, offsets) > end(highest, offsets)) {
                highest = buffer;
            }
        }
        int fullest = timeline.first(highest);
        for (int section = fullest; section < timeline.end(highest); section++) {
            fullest = loads[section] > loads[fullest] ? section : fullest;
        }
        return fullest;
    }

    private long end(int buffer, long[] offsets) {
        return problem.size(buffer) == 0 ? 0 : offsets[buffer] + problem.size(buffer);
    }

    /** The buffers live in a section, from the bottom up. */
    private int[] column(int section, long[] offsets) {
        int[] living = new int[offsets.length];
        int count = 0;
        for (int buffer = 0; buffer < offsets.length; buffer++) {
            if (timeline.first(buffer) <= section && section < timeline.end(buffer)) {
                living[count++] = buffer;
            }
        }
        int[] column = Arrays.copyOf(living, count);
        IndexSort.sort(column, offsets);
        return column;
    }

    private void delayBlockers(int blocked, long[] offsets, long until, long[] keys) {
        for (int buffer = 0; buffer < offsets.length; buffer++) {
            if (end(buffer, offsets) == offsets[blocked] && timeline.together(buffer, blocked)) {
                keys[buffer] = Math.max(keys[buffer], until + 1);
            }
        }
    }
}
