package dev.stowage.llm;

import dev.stowage.error.AccessException;
import dev.stowage.error.AllocationException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Which cells of the cache hold which tokens of which sequences: those of layers that look at all tokens, and those of
 * layers with a window, where the model has such.
 */
final class CacheCells {

    private final CellTable table;
    private final @Nullable WindowCells window;
    private final int sequences;
    private final int[] lengths;

    /** By cell the token that is in it, where there are windows; tokens are read again when these are lost. */
    private final int[] tokens;

    /** How often cells were given back or shared. */
    private long changes;

    /** Of a model without windows. */
    CacheCells(int cells, int sequences) {
        this(cells, sequences, null);
    }

    CacheCells(int cells, int sequences, @Nullable WindowCells window) {
        this.table = new CellTable(cells, sequences);
        this.window = window;
        this.sequences = sequences;
        this.lengths = new int[sequences];
        this.tokens = new int[window == null ? 0 : cells];
    }

    int count() {
        return table.count();
    }

    int sequences() {
        return sequences;
    }

    int free() {
        return table.free();
    }

    /** The cells of layers that look at all tokens. */
    CellTable table() {
        return table;
    }

    /** The cells of layers with a window. */
    Optional<WindowCells> window() {
        return Optional.ofNullable(window);
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
    void requireFree(int more) {
        if (more > free()) {
            throw new AllocationException(
                    "the context is full: " + table.used() + " of " + count() + " tokens are used, and " + more
                            + " more " + (more == 1 ? "does" : "do")
                            + " not fit; ask for a larger context, or remove tokens of a sequence (earlier ones are not"
                            + " dropped by themselves)",
                    "the KV cache",
                    more,
                    free());
        }
    }

    /** Appends a token to a sequence, in the first free cell from one on, and returns the cell. */
    int take(int from, int sequence, int token) {
        int cell = table.nextFree(from);
        table.take(cell, sequence, lengths[sequence]++);
        if (window != null) {
            tokens[cell] = token;
        }
        return cell;
    }

    /** The token in a cell, where the model has windows. */
    int token(int cell) {
        return tokens[cell];
    }

    /** Whether a sequence has lost its window, so that its tokens have to be read again before others follow. */
    boolean needsReading(int sequence) {
        return window != null && window.length(sequence) < lengths[sequence];
    }

    /**
     * How often a sequence was cut or forked. While it is the same, a sequence may look at the cells it could look at
     * before, and at those it has taken since.
     */
    long changes() {
        return changes;
    }

    /** Cuts a sequence to its first tokens. */
    void truncate(int sequence, int length) {
        requireSequence(sequence);
        if (length < 0 || length > lengths[sequence]) {
            throw new AccessException(
                    "sequence " + sequence + " of " + lengths[sequence] + " tokens cannot be cut to " + length);
        }
        changes++;
        table.release(sequence, length, Integer.MAX_VALUE);
        lengths[sequence] = length;
        if (window != null) {
            window.truncate(sequence, length);
        }
    }

    /** Takes all tokens of all sequences out. */
    void clear() {
        for (int sequence = 0; sequence < sequences; sequence++) {
            truncate(sequence, 0);
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
        table.share(from, to);
        lengths[to] = lengths[from];
        if (window != null && from != to) {
            window.fork(from, to);
        }
    }
}
