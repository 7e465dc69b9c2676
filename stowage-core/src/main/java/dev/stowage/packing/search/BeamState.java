package dev.stowage.packing.search;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A packing of some of the buffers from the bottom up, and the place that is filled next: the section of the lowest
 * valley, or of any, for which the fewest buffers are left. Sections for which none is left become holes at once.
 *
 * <pre>
 *   ┌──┐   valley   ┌───┐
 *   │  │ ◄────────► │   │      below the floor a section has buffers, and bytes that are wasted in holes
 *   │  ├────────────┤   │
 * </pre>
 */
final class BeamState {

    private static final int NOTHING_LEFT = Integer.MAX_VALUE;

    /** What was placed, the last one first. */
    private record Trail(int buffer, long offset, @Nullable Trail before) {}

    private final SearchModel model;
    private final long[] floor;

    /** By section, the bytes that may still be wasted, that are wasted, and that wait to be placed. */
    private final long[] slack;

    private final long[] wasted;
    private final long[] waiting;
    private final long[] placed;
    private @Nullable Trail trail;
    private double waste;
    private double areaLeft;
    private int edges;
    private long key;

    private int section;
    private int left;
    private int right;

    /** With nothing placed. */
    BeamState(SearchModel model, long capacity) {
        this.model = model;
        this.floor = new long[model.sections];
        this.slack = new long[model.sections];
        this.wasted = new long[model.sections];
        this.waiting = new long[model.sections];
        this.placed = new long[(model.count + Long.SIZE - 1) / Long.SIZE];
        for (int buffer = 0; buffer < model.count; buffer++) {
            for (int at = model.first[buffer]; at < model.end[buffer]; at++) {
                waiting[at] += model.size[buffer];
            }
            areaLeft += area(buffer);
        }
        Arrays.setAll(slack, at -> capacity - waiting[at]);
    }

    /** With one buffer more than another. */
    private BeamState(BeamState before, int buffer, long key) {
        model = before.model;
        floor = before.floor.clone();
        slack = before.slack.clone();
        wasted = before.wasted.clone();
        waiting = before.waiting.clone();
        placed = before.placed.clone();
        waste = before.waste;
        areaLeft = before.areaLeftWith(buffer);
        this.key = key;
        trail = new Trail(buffer, floor[model.first[buffer]], before.trail);
        placed[buffer / Long.SIZE] |= 1L << buffer;
        for (int at = model.first[buffer]; at < model.end[buffer]; at++) {
            floor[at] += model.size[buffer];
            waiting[at] -= model.size[buffer];
        }
    }

    /** The state after a buffer is placed on the floor of the valley; {@link #settle} must be called. */
    BeamState with(int buffer, long newKey) {
        return new BeamState(this, buffer, newKey);
    }

    /** Whether no section is too full for the capacity. */
    boolean fits() {
        return Arrays.stream(slack).allMatch(left -> left >= 0);
    }

    /** A hash of the buffers that are placed. */
    long key() {
        return key;
    }

    /** Whether nothing is left to place. */
    boolean isComplete() {
        return section < 0;
    }

    /**
     * Finds the place to fill next; returns false if a section would waste more than it may.
     *
     * @param anywhere whether it may be in any valley, and not only in the lowest
     */
    boolean settle(int[] counts, boolean anywhere) {
        int fewest = anywhere ? findTightest(counts) : findLowest(counts);
        while (fewest == 0) {
            if (!raise(counts)) {
                return false;
            }
            fewest = anywhere ? findTightest(counts) : findLowest(counts);
        }
        if (fewest == NOTHING_LEFT) {
            section = -1;
        } else {
            countEdges();
        }
        return true;
    }

    /** Selects the section of the lowest valley with the fewest candidates; returns how many it has. */
    private int findLowest(int[] counts) {
        return findValley() ? countCandidates(counts) : NOTHING_LEFT;
    }

    /** Selects the section with the fewest candidates of all valleys, the first without any; returns how many it has. */
    private int findTightest(int[] counts) {
        int fewest = NOTHING_LEFT;
        int bestLeft = 0;
        int bestRight = 0;
        int bestSection = 0;
        right = 0;
        while (fewest > 0 && nextValley(right)) {
            int count = countCandidates(counts);
            if (count < fewest || (count == fewest && floor[left] < floor[bestLeft])) {
                fewest = count;
                bestLeft = left;
                bestRight = right;
                bestSection = section;
            }
        }
        left = bestLeft;
        right = bestRight;
        section = bestSection;
        return fewest;
    }

    /** Finds the first flat range between higher walls from a section on. */
    private boolean nextValley(int from) {
        int at = from;
        while (at < floor.length) {
            int begin = at++;
            if (waiting[begin] > 0) {
                while (at < floor.length && waiting[at] > 0 && floor[at] == floor[begin]) {
                    at++;
                }
                boolean isLeftHigher = begin == 0 || waiting[begin - 1] == 0 || floor[begin - 1] > floor[begin];
                boolean isRightHigher = at == floor.length || waiting[at] == 0 || floor[at] > floor[begin];
                if (isLeftHigher && isRightHigher) {
                    left = begin;
                    right = at;
                    return true;
                }
            }
        }
        return false;
    }

    private boolean findValley() {
        left = -1;
        for (int at = 0; at < floor.length; at++) {
            if (waiting[at] > 0 && (left < 0 || floor[at] < floor[left])) {
                left = at;
            }
        }
        right = left + 1;
        while (left >= 0 && right < floor.length && waiting[right] > 0 && floor[right] == floor[left]) {
            right++;
        }
        return left >= 0;
    }

    /** Counts, by section of the valley, the buffers that fit into the valley; selects the section with the fewest. */
    private int countCandidates(int[] counts) {
        Arrays.fill(counts, left, right + 1, 0);
        for (int at = left; at < right; at++) {
            for (int buffer : model.starting[at]) {
                if (fits(buffer)) {
                    counts[at]++;
                    counts[model.end[buffer]]--;
                }
            }
        }
        int fewest = Integer.MAX_VALUE;
        int count = 0;
        for (int at = left; at < right; at++) {
            count += counts[at];
            counts[at] = count;
            if (count < fewest) {
                fewest = count;
                section = at;
            }
        }
        return fewest;
    }

    private boolean fits(int buffer) {
        return ((placed[buffer / Long.SIZE] >>> buffer) & 1) == 0 && model.end[buffer] <= right;
    }

    /** Raises the floor of sections without candidates to the lower wall of the valley. */
    private boolean raise(int[] counts) {
        long wall = SearchModel.UNREACHABLE;
        if (left > 0 && waiting[left - 1] > 0) {
            wall = floor[left - 1];
        }
        if (right < floor.length && waiting[right] > 0) {
            wall = Math.min(wall, floor[right]);
        }
        for (int at = left; at < right; at++) {
            if (counts[at] == 0) {
                long hole = wall - floor[at];
                if (hole > slack[at]) {
                    return false;
                }
                // The square, as what counts in the end is the section that wastes the most.
                double before = wasted[at];
                wasted[at] += hole;
                waste += (double) wasted[at] * wasted[at] - before * before;
                slack[at] -= hole;
                floor[at] = wall;
            }
        }
        return true;
    }

    private void countEdges() {
        edges = 0;
        for (int at = 1; at < floor.length; at++) {
            edges += floor[at] == floor[at - 1] ? 0 : 1;
        }
    }

    /** The candidates for the place to fill; returns how many there are. */
    int candidates(int[] into) {
        int count = 0;
        for (int at = left; at <= section; at++) {
            for (int buffer : model.starting[at]) {
                if (model.end[buffer] > section && fits(buffer)) {
                    into[count++] = buffer;
                }
            }
        }
        return count;
    }

    /** The edges of the skyline once a buffer is placed: the fewer, the more buffers end level with another. */
    int edgesWith(int buffer) {
        int first = model.first[buffer];
        int end = model.end[buffer];
        long level = floor[first];
        long top = level + model.size[buffer];
        int changed = edges;
        if (first > 0) {
            changed += (floor[first - 1] == top ? 0 : 1) - (floor[first - 1] == level ? 0 : 1);
        }
        if (end < floor.length) {
            changed += (floor[end] == top ? 0 : 1) - (floor[end] == level ? 0 : 1);
        }
        return changed;
    }

    private double area(int buffer) {
        return (double) model.size[buffer] * (model.end[buffer] - model.first[buffer]);
    }

    /** The area of the buffers that are left once another is placed. */
    double areaLeftWith(int buffer) {
        return Math.max(0, areaLeft - area(buffer));
    }

    /** The squares of the bytes that sections waste. */
    double waste() {
        return waste;
    }

    /** The offsets of the buffers, in units. */
    long[] offsets() {
        long[] offsets = new long[model.count];
        for (Trail at = trail; at != null; at = at.before) {
            offsets[at.buffer] = at.offset;
        }
        return offsets;
    }
}
