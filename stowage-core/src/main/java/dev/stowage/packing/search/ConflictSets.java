package dev.stowage.packing.search;

import java.util.Arrays;

/**
 * Conflict-directed backjumping: for every depth of the search, a set of sections such that the failure follows from
 * what is placed there. If a buffer is live in none of the sections of a failure below it, moving it cannot help, and
 * the search jumps back over it.
 */
final class ConflictSets {

    private final int words;
    private final int sections;
    private long[][] sets = new long[256][];

    ConflictSets(int sections) {
        this.sections = sections;
        this.words = (sections + 63) >> 6;
    }

    /** Empties the set of a depth. */
    void clear(int depth) {
        if (depth >= sets.length) {
            sets = Arrays.copyOf(sets, 2 * depth);
        }
        long[] set = sets[depth];
        if (set == null) {
            sets[depth] = new long[words];
        } else {
            Arrays.fill(set, 0);
        }
    }

    void add(int depth, int section) {
        sets[depth][section >> 6] |= 1L << section;
    }

    void addRange(int depth, int from, int to) {
        long[] set = sets[depth];
        for (int section = from; section < to; section++) {
            set[section >> 6] |= 1L << section;
        }
    }

    boolean contains(int depth, int section) {
        return (sets[depth][section >> 6] >>> section & 1) != 0;
    }

    /**
     * Merges the failure one level deeper, after a decision about the sections from {@code from} to {@code to}. Returns
     * whether the decision contributed to it; if not, the deeper conflict is copied, and other decisions cannot help.
     */
    boolean absorb(int depth, int from, int to) {
        long[] own = sets[depth];
        long[] deeper = sets[depth + 1];
        for (int section = from; section < to; section++) {
            if ((deeper[section >> 6] >>> section & 1) != 0) {
                for (int word = 0; word < words; word++) {
                    own[word] |= deeper[word];
                }
                return true;
            }
        }
        System.arraycopy(deeper, 0, own, 0, words);
        return false;
    }

    /** The first section of a set; the number of sections for an empty one. */
    int first(int depth) {
        for (int word = 0; word < words; word++) {
            if (sets[depth][word] != 0) {
                return (word << 6) + Long.numberOfTrailingZeros(sets[depth][word]);
            }
        }
        return sections;
    }

    /** The section after the last of a set; 0 for an empty one. */
    int end(int depth) {
        for (int word = words - 1; word >= 0; word--) {
            if (sets[depth][word] != 0) {
                return (word << 6) + 64 - Long.numberOfLeadingZeros(sets[depth][word]);
            }
        }
        return 0;
    }
}
