package dev.stowage.llm;

import java.util.Arrays;

/**
 * The cells of layers with a window, which are fewer than a sequence may have tokens. Cells of tokens that no later one
 * looks at are taken back where others need them, and only then, so that a sequence can be cut by a few tokens. One that
 * is cut to before them has lost its window: it begins anew, and the session reads its tokens again.
 */
final class WindowCells {

    private final CellTable table;
    private final int window;

    /** For each sequence how many of its tokens were read. */
    private final int[] lengths;

    /** For each sequence the first position from which on it has all. */
    private final int[] firsts;

    WindowCells(int cells, int window, int sequences) {
        this.table = new CellTable(cells, sequences);
        this.window = window;
        this.lengths = new int[sequences];
        this.firsts = new int[sequences];
    }

    CellTable table() {
        return table;
    }

    int length(int sequence) {
        return lengths[sequence];
    }

    /**
     * Takes cells back until so many are free, and no more, the oldest of a sequence first; there are as many as the windows of
     * all sequences and a pass need.
     */
    void makeRoom(int tokens) {
        boolean isProgress = true;
        // A cell that sequences share is free once all of them have given it back, which may take another round.
        while (table.free() < tokens && isProgress) {
            isProgress = false;
            for (int sequence = 0; sequence < lengths.length && table.free() < tokens; sequence++) {
                int first = firsts[sequence];
                int spare = firstSeen(lengths[sequence]) - first;
                if (spare > 0) {
                    firsts[sequence] = first + Math.min(spare, tokens - table.free());
                    table.release(sequence, first, firsts[sequence]);
                    isProgress = true;
                }
            }
        }
    }

    /** The first position that the token at a position looks at. */
    int firstSeen(int position) {
        return Math.max(0, position - window + 1);
    }

    /** Appends a token to a sequence, in a free cell from one on, and returns it. */
    int take(int from, int sequence) {
        int cell = table.nextFree(from);
        table.take(cell, sequence, lengths[sequence]++);
        return cell;
    }

    /** Cuts a sequence to its first tokens; without its window it is cut to none. */
    void truncate(int sequence, int length) {
        if (length >= lengths[sequence]) {
            return;
        }
        int kept = firsts[sequence] <= firstSeen(length) ? length : 0;
        table.release(sequence, kept, Integer.MAX_VALUE);
        lengths[sequence] = kept;
        firsts[sequence] = kept == 0 ? 0 : firsts[sequence];
    }

    /** Has an empty sequence begin like another, in the same cells. */
    void fork(int from, int to) {
        truncate(to, 0);
        table.share(from, to);
        lengths[to] = lengths[from];
        firsts[to] = firsts[from];
    }

    @Override
    public String toString() {
        return "windows of " + window + " tokens from " + Arrays.toString(firsts) + " to " + Arrays.toString(lengths);
    }
}
