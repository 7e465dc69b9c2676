package dev.stowage.llm;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import java.util.Arrays;

/**
 * Which cell of the cache holds which token of which sequences. A cell may belong to several sequences that begin
 * alike.
 */
final class CacheCells {

    private static final int FREE = -1;

    private final int[] positions;
    private final long[] owners;
    private final int words;
    private final int sequences;
    private final int[] lengths;
    private int used;
    private int end;

    /** No cell before this one is free. */
    private int lowest;

    /** How often cells were given back or shared. */
    private long changes;

    CacheCells(int cells, int sequences) {
        this.positions = new int[cells];
        this.words = Math.ceilDiv(sequences, Long.SIZE);
        this.owners = new long[Math.multiplyExact(cells, words)];
        this.sequences = sequences;
        this.lengths = new int[sequences];
        Arrays.fill(positions, FREE);
    }

    int count() {
        return positions.length;
    }

    int sequences() {
        return sequences;
    }

    int free() {
        return positions.length - used;
    }

    /** How many tokens a sequence has. */
    int length(int sequence) {
        requireSequence(sequence);
        return lengths[sequence];
    }

    void requireSequence(int sequence) {
        if (sequence < 0 || sequence >= sequences) {
            throw new AccessException("there is no sequence " + sequence + " among " + sequences
                    + ": open the session with more sequences");
        }
    }

    /**
     * Checks that there is room.
     *
     * @throws AllocationException if not; earlier tokens are never dropped to make room
     */
    void requireFree(int tokens) {
        if (tokens > free()) {
            throw new AllocationException(
                    "the context is full: " + used + " of " + positions.length + " cells are taken and " + tokens
                            + " more " + (tokens == 1 ? "is" : "are")
                            + " needed; ask for a larger context, or remove tokens of a sequence (earlier ones are not"
                            + " dropped by themselves)",
                    "the KV cache",
                    tokens,
                    free());
        }
    }

    /** The first free cell from one on; there must be one. */
    int nextFree(int from) {
        int cell = Math.max(from, lowest);
        while (positions[cell] != FREE) {
            cell++;
        }
        return cell;
    }

    /** Appends a token to a sequence, in a free cell. */
    void take(int cell, int sequence) {
        positions[cell] = lengths[sequence]++;
        own(cell, sequence);
        used++;
        end = Math.max(end, cell + 1);
        lowest = cell == lowest ? cell + 1 : lowest;
    }

    /**
     * How often a sequence was cut or forked. While it is the same, a sequence may look at the cells it could look at
     * before, and at those it has taken since.
     */
    long changes() {
        return changes;
    }

    private void own(int cell, int sequence) {
        owners[cell * words + sequence / Long.SIZE] |= 1L << sequence;
    }

    private boolean isOwned(int cell, int sequence) {
        return (owners[cell * words + sequence / Long.SIZE] & 1L << sequence) != 0;
    }

    private boolean isOwned(int cell) {
        for (int word = 0; word < words; word++) {
            if (owners[cell * words + word] != 0) {
                return true;
            }
        }
        return false;
    }

    /** Cuts a sequence to its first tokens. */
    void truncate(int sequence, int length) {
        requireSequence(sequence);
        if (length < 0 || length > lengths[sequence]) {
            throw new AccessException(
                    "sequence " + sequence + " of " + lengths[sequence] + " tokens cannot be cut to " + length);
        }
        changes++;
        for (int cell = 0; cell < positions.length; cell++) {
            if (positions[cell] >= length && isOwned(cell, sequence)) {
                owners[cell * words + sequence / Long.SIZE] &= ~(1L << sequence);
                if (!isOwned(cell)) {
                    positions[cell] = FREE;
                    lowest = Math.min(lowest, cell);
                    used--;
                }
            }
        }
        lengths[sequence] = length;
        while (end > 0 && positions[end - 1] == FREE) {
            end--;
        }
    }

    /** Has an empty sequence begin like another, in the same cells. */
    void fork(int from, int to) {
        requireSequence(from);
        requireSequence(to);
        if (lengths[to] > 0) {
            throw new AccessException("sequence " + to + " has " + lengths[to]
                    + " tokens already: truncate it to 0 before it begins like another");
        }
        changes++;
        for (int cell = 0; cell < positions.length; cell++) {
            if (positions[cell] != FREE && isOwned(cell, from)) {
                own(cell, to);
            }
        }
        lengths[to] = lengths[from];
    }

    /** One past the last cell in use once so many more tokens have taken the first free ones. */
    int endWith(int tokens) {
        int cell = 0;
        for (int i = 0; i < tokens; i++) {
            cell = nextFree(cell) + 1;
        }
        return Math.max(end, cell);
    }

    /** Whether the token of a sequence at a position may look at a cell: its own sequence, and no later position. */
    boolean isSeen(int cell, int sequence, int position) {
        int there = positions[cell];
        return there >= 0 && there <= position && isOwned(cell, sequence);
    }
}
