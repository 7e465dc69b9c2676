package dev.stowage.packing.search;

/**
 * The height to which a floor rises when no buffer is placed on it: the lowest offset at which any waiting buffer of
 * the section can then start. A buffer that reaches over a wall starts at the wall or above; one within the valley must
 * rest on another that is on the floor, or on one that reaches over a wall.
 */
final class HoleFloor {

    private final SearchModel model;
    private final Skyline skyline;
    private final FloorCandidates candidates;
    private final long[] highest;
    private int reasonFrom;
    private int reasonTo;

    HoleFloor(SearchModel model, Skyline skyline, FloorCandidates candidates) {
        this.model = model;
        this.skyline = skyline;
        this.candidates = candidates;
        this.highest = new long[model.sections];
    }

    /** The floor above a hole in a section of the valley from {@code left} to {@code right}. */
    long above(int section, int left, int right) {
        long level = skyline.floor[section];
        long walls = Math.min(skyline.wall(left - 1, left), skyline.wall(right, right));
        long onAnother = Math.min(walls, level + smallestBeside(section, left, right));
        findReach(section, left, right);
        findHighest(section);
        long lowest = SearchModel.UNREACHABLE;
        for (int buffer : candidates.live(section)) {
            if (!skyline.placed[buffer]) {
                lowest = Math.min(lowest, lowestBegin(buffer, level, left, right, onAnother));
            }
        }
        return lowest;
    }

    /** The first section that the result depends on. */
    int reasonFrom() {
        return reasonFrom;
    }

    /** The end of the sections that the result depends on. */
    int reasonTo() {
        return reasonTo;
    }

    private long lowestBegin(int buffer, long level, int left, int right, long onAnother) {
        if (model.fixed[buffer] >= 0) {
            return model.fixed[buffer] > level ? model.fixed[buffer] : SearchModel.UNREACHABLE;
        }
        long alignment = model.alignment[buffer];
        if (model.first[buffer] >= left && model.end[buffer] <= right) {
            return level % alignment == 0 ? onAnother : SizeUnit.roundUp(level, alignment);
        }
        return SizeUnit.roundUp(Math.max(highest[model.first[buffer]], highest[model.end[buffer] - 1]), alignment);
    }

    /** The size of the smallest waiting buffer of the valley that is not live in the section itself. */
    private long smallestBeside(int section, int left, int right) {
        long smallest = SearchModel.UNREACHABLE;
        for (int at = left; at < right && smallest > model.smallest; at++) {
            for (int buffer : model.starting[at]) {
                if (model.size[buffer] < smallest
                        && !skyline.placed[buffer]
                        && model.end[buffer] <= right
                        && (at > section || model.end[buffer] <= section)) {
                    smallest = model.size[buffer];
                }
            }
        }
        return smallest;
    }

    /** The valley with its walls, and every section that a waiting buffer of this one is live in. */
    private void findReach(int section, int left, int right) {
        reasonFrom = skyline.joined(left) ? left - 1 : left;
        reasonTo = skyline.joined(right) ? right + 1 : right;
        for (int buffer : candidates.live(section)) {
            if (!skyline.placed[buffer]) {
                reasonFrom = Math.min(reasonFrom, model.first[buffer]);
                reasonTo = Math.max(reasonTo, model.end[buffer]);
            }
        }
    }

    /** The highest floor between the section and every other one in reach. */
    private void findHighest(int section) {
        highest[section] = skyline.floor[section];
        for (int at = section - 1; at >= reasonFrom; at--) {
            highest[at] = Math.max(highest[at + 1], skyline.floor[at]);
        }
        for (int at = section + 1; at < reasonTo; at++) {
            highest[at] = Math.max(highest[at - 1], skyline.floor[at]);
        }
    }
}
