package dev.stowage.packing.search;

import java.util.Arrays;

/**
 * The candidates for a section of a valley: waiting buffers that fit between its walls. Symmetric placements are
 * skipped:
 *
 * <ul>
 *   <li>a buffer whose identical predecessor is still waiting: identical buffers are placed by index;
 *   <li>a buffer on a smaller one of the same lifetime: of two such neighbours the larger is below;
 *   <li>a buffer that rests on holes only: pushed down, it gives a solution that is found elsewhere.
 * </ul>
 */
final class FloorCandidates {

    private final SearchModel model;
    private final Skyline skyline;
    private final int[][] live;
    private int[] ordered = new int[0];

    FloorCandidates(SearchModel model, Skyline skyline) {
        this.model = model;
        this.skyline = skyline;
        int[] counts = new int[model.sections];
        for (int buffer = 0; buffer < model.count; buffer++) {
            for (int section = model.first[buffer]; section < model.end[buffer]; section++) {
                counts[section]++;
            }
        }
        live = new int[model.sections][];
        Arrays.setAll(live, section -> new int[counts[section]]);
    }

    /** Sets the order in which buffers are tried. */
    void order(int[] buffers) {
        ordered = buffers;
        int[] counts = new int[live.length];
        for (int buffer : buffers) {
            for (int section = model.first[buffer]; section < model.end[buffer]; section++) {
                live[section][counts[section]++] = buffer;
            }
        }
    }

    /** The buffers live in a section, placed or not, those to try first at the front. */
    int[] live(int section) {
        return live[section];
    }

    /** How many buffers may be placed in a section of the valley from {@code left} to {@code right}. */
    int count(int section, int left, int right, long level) {
        int count = 0;
        for (int buffer : live[section]) {
            if (!skyline.placed[buffer]
                    && model.first[buffer] >= left
                    && model.end[buffer] <= right
                    && isWorthTrying(buffer, level)) {
                count++;
            }
        }
        return count;
    }

    /** The first buffer in the order that may be placed in a valley, or -1. */
    int firstIn(int left, int right, long level) {
        for (int buffer : ordered) {
            if (!skyline.placed[buffer]
                    && model.first[buffer] >= left
                    && model.end[buffer] <= right
                    && model.size[buffer] > 0
                    && isWorthTrying(buffer, level)) {
                return buffer;
            }
        }
        return -1;
    }

    /** Whether a waiting buffer that fits between the walls of a valley may be placed at its floor. */
    boolean isWorthTrying(int buffer, long level) {
        if (model.fixed[buffer] >= 0) {
            return model.fixed[buffer] == level;
        }
        int predecessor = model.identical[buffer];
        return (predecessor < 0 || skyline.placed[predecessor])
                && (model.alignment[buffer] == 1 || level % model.alignment[buffer] == 0)
                && level + model.size[buffer] <= skyline.highestEnd[buffer]
                && !isOutOfOrder(buffer)
                && isSupported(buffer, level);
    }

    /** Whether the buffer would be on one of the same lifetime that belongs above it. */
    boolean isOutOfOrder(int buffer) {
        int from = model.first[buffer];
        int below = skyline.top[from];
        return below >= 0
                && model.sameLifetime(below, buffer)
                && skyline.solid[from] == skyline.floor[from]
                && skyline.top[model.end[buffer] - 1] == below
                && belongsBelow(buffer, below);
    }

    private boolean belongsBelow(int buffer, int below) {
        boolean exchangeable = model.fixed[below] < 0
                && model.fixed[buffer] < 0
                && model.alignment[below] == 1
                && model.alignment[buffer] == 1
                && skyline.highestEnd[below] == skyline.highestEnd[buffer];
        return exchangeable
                && (model.size[buffer] > model.size[below]
                        || (model.size[buffer] == model.size[below] && buffer < below));
    }

    private boolean isSupported(int buffer, long level) {
        if (level == 0) {
            return true;
        }
        long lowest = level - model.alignment[buffer];
        for (int section = model.first[buffer]; section < model.end[buffer]; section++) {
            if (skyline.solid[section] > lowest) {
                return true;
            }
        }
        return false;
    }
}
