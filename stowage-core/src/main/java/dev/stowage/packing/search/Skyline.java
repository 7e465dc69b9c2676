package dev.stowage.packing.search;

import java.util.Arrays;

/**
 * A partial packing from the bottom up: every section has a floor below which nothing is placed any more.
 *
 * <pre>
 *   capacity ┼────────────────────────────
 *            │            ░ lost: the floor was raised over a hole nothing will fill
 *            │      ┌─────┬──┐
 *            │ ┌──┐ │  c  │░░│ ┌──── floor
 *            │ │a ├─┤     ├──┤ │ d
 *            │ │  │b│     │ e└─┤
 *            └─┴──┴─┴─────┴────┴──────────► sections
 *                  └─ a valley: flat, with higher walls on both sides
 * </pre>
 *
 * The slack of a section is its unused rest: capacity, less floor, less the waiting buffers. Placing a buffer on the
 * floor costs no slack; raising the floor over a hole does.
 */
final class Skyline {

    private final SearchModel model;

    /** By section, the floor. */
    final long[] floor;

    /** The highest end of a placed buffer; below the floor if that was raised over a hole. */
    final long[] solid;

    /** The placed buffer that ends there, or -1. */
    final int[] top;

    /** The slack. */
    final long[] slack;

    /** How many buffers wait to be placed in a section. */
    final int[] waiting;

    /** How many waiting buffers are live in both this section and the one before. */
    final int[] spanning;

    final boolean[] placed;
    final long[] offset;

    /** When a section was last changed, by a clock that ticks with every change. */
    final long[] changed;

    /** The highest end each buffer may have. */
    final long[] highestEnd;

    private long[] trail = new long[1024];
    private int trailLength;
    private long clock;

    Skyline(SearchModel model) {
        this.model = model;
        floor = new long[model.sections];
        solid = new long[model.sections];
        top = new int[model.sections];
        slack = new long[model.sections];
        waiting = new int[model.sections];
        spanning = new int[model.sections + 1];
        placed = new boolean[model.count];
        offset = new long[model.count];
        highestEnd = new long[model.count];
        changed = new long[model.sections];
    }

    /** The time of the last change. */
    long clock() {
        return clock;
    }

    /** Removes every buffer and sets the capacity; returns false if a section is too full for it. */
    boolean reset(long capacity) {
        Arrays.fill(floor, 0);
        Arrays.fill(solid, 0);
        Arrays.fill(top, -1);
        Arrays.fill(waiting, 0);
        Arrays.fill(spanning, 0);
        Arrays.fill(placed, false);
        Arrays.fill(changed, ++clock);
        trailLength = 0;
        long highest = 0;
        for (int buffer = 0; buffer < model.count; buffer++) {
            highestEnd[buffer] = model.highestEnd(buffer, capacity);
            highest = Math.max(highest, model.size[buffer] > 0 ? highestEnd[buffer] : 0);
        }
        Arrays.fill(slack, highest);
        boolean fits = true;
        for (int buffer = 0; buffer < model.count; buffer++) {
            for (int section = model.first[buffer]; section < model.end[buffer]; section++) {
                slack[section] -= model.size[buffer];
                waiting[section]++;
                spanning[section] += section > model.first[buffer] ? 1 : 0;
                fits &= slack[section] >= 0;
            }
            fits &= Math.max(0, model.fixed[buffer]) + model.size[buffer] <= highestEnd[buffer];
        }
        return fits;
    }

    /** Whether a waiting buffer spans the start of a section. */
    boolean joined(int section) {
        return section > 0 && section < floor.length && spanning[section] > 0;
    }

    /** The height of a section as the wall at a boundary; unreachable if no waiting buffer spans it. */
    long wall(int section, int boundary) {
        return joined(boundary) ? floor[section] : SearchModel.UNREACHABLE;
    }

    /** Places a buffer on a floor that is flat under it. */
    void place(int buffer, long level) {
        int from = model.first[buffer];
        int to = model.end[buffer];
        long height = level + model.size[buffer];
        if (trailLength + 2 * (to - from) > trail.length) {
            trail = Arrays.copyOf(trail, 2 * trail.length + 2 * (to - from));
        }
        clock++;
        for (int section = from; section < to; section++) {
            changed[section] = clock;
            trail[trailLength++] = solid[section];
            trail[trailLength++] = top[section];
            solid[section] = height;
            top[section] = buffer;
            floor[section] = height;
            waiting[section]--;
        }
        for (int boundary = from + 1; boundary < to; boundary++) {
            spanning[boundary]--;
        }
        placed[buffer] = true;
        offset[buffer] = level;
    }

    /** Removes the buffer that was placed last. */
    void remove(int buffer) {
        int from = model.first[buffer];
        int to = model.end[buffer];
        clock++;
        for (int section = to - 1; section >= from; section--) {
            changed[section] = clock;
            top[section] = (int) trail[--trailLength];
            solid[section] = trail[--trailLength];
            floor[section] = offset[buffer];
            waiting[section]++;
        }
        for (int boundary = from + 1; boundary < to; boundary++) {
            spanning[boundary]++;
        }
        placed[buffer] = false;
    }

    /** Raises or lowers a floor, at the cost or to the gain of slack. */
    void moveFloor(int section, long level) {
        changed[section] = ++clock;
        slack[section] -= level - floor[section];
        floor[section] = level;
    }
}
