package dev.stowage.llm;

import java.util.Arrays;

/**
 * Which cell of a cache holds which position of which sequences. A cell may belong to several sequences that begin alike.
 */
final class CellTable {

    private static final int FREE = -1;

    private final int[] positions;
    private final long[] owners;
    private final int words;
    private int used;
    private int end;

    /** No cell before this one is free. */
    private int lowest;

    CellTable(int cells, int sequences) {
        this.positions = new int[cells];
        this.words = Math.ceilDiv(sequences, Long.SIZE);
        this.owners = new long[Math.multiplyExact(cells, words)];
        Arrays.fill(positions, FREE);
    }

    int count() {
        return positions.length;
    }

    int used() {
        return used;
    }

    int free() {
        return positions.length - used;
    }

    /** The first free cell from one on; there must be one. */
    int nextFree(int from) {
        int cell = Math.max(from, lowest);
        while (positions[cell] != FREE) {
            cell++;
        }
        return cell;
    }

    /** One past the last cell in use once so many more tokens have taken the first free ones. */
    int endWith(int tokens) {
        int cell = 0;
        for (int i = 0; i < tokens; i++) {
            cell = nextFree(cell) + 1;
        }
        return Math.max(end, cell);
    }

    /** Puts a position of a sequence into a free cell. */
    void take(int cell, int sequence, int position) {
        positions[cell] = position;
        own(cell, sequence);
        used++;
        end = Math.max(end, cell + 1);
        lowest = cell == lowest ? cell + 1 : lowest;
    }

    /** Takes the positions of a sequence from one up to another out, the latter excluded. */
    void release(int sequence, int from, int to) {
        for (int cell = 0; cell < end; cell++) {
            if (positions[cell] >= from && positions[cell] < to && isOwned(cell, sequence)) {
                owners[cell * words + sequence / Long.SIZE] &= ~(1L << sequence);
                if (!isOwned(cell)) {
                    positions[cell] = FREE;
                    lowest = Math.min(lowest, cell);
                    used--;
                }
            }
        }
        while (end > 0 && positions[end - 1] == FREE) {
            end--;
        }
    }

    /** Gives all cells of a sequence to another one too. */
    void share(int from, int to) {
        for (int cell = 0; cell < end; cell++) {
            if (positions[cell] != FREE && isOwned(cell, from)) {
                own(cell, to);
            }
        }
    }

    /** The cells of a sequence by position, for its first positions, all of which must have one. */
    int[] cellsOf(int sequence, int length) {
        int[] cells = new int[length];
        for (int cell = 0; cell < end; cell++) {
            if (positions[cell] != FREE && positions[cell] < length && isOwned(cell, sequence)) {
                cells[positions[cell]] = cell;
            }
        }
        return cells;
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

    /** Whether a cell has a position of a sequence from one to another, both included. */
    boolean has(int cell, int sequence, int first, int last) {
        int there = positions[cell];
        return there >= first && there <= last && isOwned(cell, sequence);
    }
}
