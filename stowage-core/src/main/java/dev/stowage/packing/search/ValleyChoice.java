package dev.stowage.packing.search;

import java.util.Arrays;

/**
 * Chooses the section to decide next. A valley is a flat range of sections with higher walls; in each of its sections
 * the question is which buffer, if any, is on the floor. Three sections per valley are scored, the fullest and those at
 * the walls, where the fewest buffers fit. Scores are cached until the valley or its walls change.
 */
final class ValleyChoice {

    private final SearchModel model;
    private final Skyline skyline;
    private final FloorCandidates candidates;

    // The cached score of the valley that starts at a section.
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

    /** Sets the rule for a new search. */
    void style(SearchStyle.Valleys valleys) {
        this.style = valleys;
        Arrays.fill(seenEnd, 0);
    }

    /** The section chosen last. */
    int section() {
        return section;
    }

    /** The first section of its valley. */
    int left() {
        return left;
    }

    /** The end of its valley. */
    int right() {
        return right;
    }

    /** Chooses a section; returns false if no buffer waits any more. */
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
            while (end < model.sections && skyline.spanning[end] > 0 && skyline.floor[end] == level) {
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

    /** Scores a valley, unless it is unchanged. */
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

    /** The urgency of a section; lower is sooner. */
    private long score(int at, int begin, int end, long depth) {
        long level = skyline.floor[at];
        int hole = skyline.slack[at] >= Math.min(depth, model.smallest) ? 1 : 0;
        int choices = candidates.count(at, begin, end, level) + hole;
        // No choice is a dead end, which is best found early.
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
