package dev.stowage.packing.search;

import java.util.Arrays;

/**
 * Finds the section to decide about next. Every partial packing has valleys, flat ranges with higher walls, and in any
 * section of a valley the question is: which buffer lies on the floor here, or none? Three sections of every valley are
 * looked at, the fullest and the two at the walls, because there the fewest buffers fit. What was seen of a valley is kept
 * until something changes in it or at its walls.
 */
final class ValleyChoice {

    private final SearchModel model;
    private final Skyline skyline;
    private final FloorCandidates candidates;

    // What was seen of the valley that begins at a section, and when.
    private final int[] seenEnd;
    private final long[] seenAt;
    private final long[] seenScore;
    private final int[] seenSection;

    private SearchStyle.Valleys style = SearchStyle.Valleys.LOWEST;
    private int section;
    private int left;
    private int right;

    ValleyChoice(SearchModel model, Skyline skyline, FloorCandidates candidates) {
        this.model = model;
        this.skyline = skyline;
        this.candidates = candidates;
        seenEnd = new int[model.sections];
        seenAt = new long[model.sections];
        seenScore = new long[model.sections];
        seenSection = new int[model.sections];
    }

    /** Sets how to choose, for a search that begins. */
    void style(SearchStyle.Valleys valleys) {
        this.style = valleys;
        Arrays.fill(seenEnd, 0);
    }

    /** The section chosen last. */
    int section() {
        return section;
    }

    /** Where the valley of that section begins. */
    int left() {
        return left;
    }

    /** Where it ends. */
    int right() {
        return right;
    }

    /** Chooses a section; returns false where nobody waits any more. */
    boolean choose() {
        long bestScore = Long.MAX_VALUE;
        int begin = 0;
        while (begin < model.sections && bestScore >= 0) {
            if (skyline.waiting[begin] == 0) {
                begin++;
                continue;
            }
            long level = skyline.floor[begin];
            long changed = skyline.changed[begin];
            int end = begin + 1;
            while (end < model.sections && skyline.crossing[end] > 0 && skyline.floor[end] == level) {
                changed = Math.max(changed, skyline.changed[end]);
                end++;
            }
            if (skyline.wall(begin - 1, begin) > level && skyline.wall(end, end) > level) {
                look(begin, end, changed);
                if (seenScore[begin] < bestScore) {
                    bestScore = seenScore[begin];
                    section = seenSection[begin];
                    left = begin;
                    right = end;
                }
            }
            begin = end;
        }
        return bestScore < Long.MAX_VALUE;
    }

    /** Looks at a valley, unless it is as it was when it was last looked at. */
    private void look(int begin, int end, long changedInside) {
        long changed = changedInside;
        changed = begin > 0 ? Math.max(changed, skyline.changed[begin - 1]) : changed;
        changed = end < model.sections ? Math.max(changed, skyline.changed[end]) : changed;
        if (seenEnd[begin] == end && seenAt[begin] >= changed) {
            return;
        }
        int fullest = begin;
        for (int at = begin + 1; at < end; at++) {
            fullest = skyline.slack[at] < skyline.slack[fullest] ? at : fullest;
        }
        if (style == SearchStyle.Valleys.FIRST_BUFFER) {
            fullest = fullestOfFirst(begin, end, fullest);
        }
        long level = skyline.floor[begin];
        long depth = Math.min(skyline.wall(begin - 1, begin), skyline.wall(end, end)) - level;
        seenEnd[begin] = end;
        seenAt[begin] = skyline.clock();
        seenSection[begin] = fullest;
        seenScore[begin] = score(fullest, begin, end, depth);
        if (style == SearchStyle.Valleys.FIRST_BUFFER) {
            return;
        }
        if (begin != fullest) {
            see(begin, begin, score(begin, begin, end, depth));
        }
        if (end - 1 != fullest && end - 1 != begin) {
            see(end - 1, begin, score(end - 1, begin, end, depth));
        }
    }

    /** The fullest section of the first buffer in the order that may be placed, or {@code otherwise} for none. */
    private int fullestOfFirst(int begin, int end, int otherwise) {
        int buffer = candidates.firstIn(begin, end, skyline.floor[begin]);
        if (buffer < 0) {
            return otherwise;
        }
        int fullest = model.first[buffer];
        for (int at = fullest + 1; at < model.end[buffer]; at++) {
            fullest = skyline.slack[at] < skyline.slack[fullest] ? at : fullest;
        }
        return fullest;
    }

    private void see(int at, int begin, long score) {
        if (score < seenScore[begin]) {
            seenScore[begin] = score;
            seenSection[begin] = at;
        }
    }

    /** How urgent it is to decide about a section; the lower the sooner. */
    private long score(int at, int begin, int end, long depth) {
        long level = skyline.floor[at];
        int hole = skyline.slack[at] >= Math.min(depth, model.smallest) ? 1 : 0;
        int choices = candidates.count(at, begin, end, level) + hole;
        // No choice at all is a dead end, and the sooner it is seen the better.
        if (choices == 0) {
            return -1;
        }
        return switch (style) {
            case FEWEST_CHOICES -> (long) choices << 40 | Math.min(level, (1L << 40) - 1);
            case LOWEST, FIRST_BUFFER -> choices == 1 ? 0 : (level << 10) + choices;
            case FEWEST_HOLES -> choices == 1 ? 0 : choices + 3L * hole;
        };
    }
}
