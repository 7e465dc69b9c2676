package dev.stowage.cpu.op.reduction;

import dev.stowage.cpu.kernel.Memory;
import java.util.Arrays;

/**
 * Finds the places of the first elements of a row in sorted order. An element and its place make one long, so that longs
 * are sorted and nothing else is: the element above, as an int of the same order, the place below. Equal elements so stay
 * in the order of their places; NaN counts as larger than everything, and the two zeros as equal.
 */
final class RowSorter {

    /** Where fewer than one in so many are wanted, a heap of the best so far beats sorting all. */
    private static final int FEW = 8;

    private static final int NAN = Integer.MAX_VALUE;
    private static final long PLACE = 0xFFFF_FFFFL;

    private final int n;
    private final int wanted;
    private final boolean descending;
    private final long[] keys;

    /** For rows of {@code n} elements of which the first {@code wanted} are to be found. */
    RowSorter(int n, int wanted, boolean descending) {
        this.n = n;
        this.wanted = wanted;
        this.descending = descending;
        this.keys = new long[isHeap() ? wanted : n];
    }

    private boolean isHeap() {
        return (long) wanted * FEW <= n;
    }

    /** Writes the places of the first elements of a row of floats as ints {@code stride} bytes apart. */
    void sort(long from, long to, long stride) {
        if (isHeap()) {
            keepBest(from);
        } else {
            for (int i = 0; i < n; i++) {
                keys[i] = key(from, i);
            }
        }
        Arrays.sort(keys);
        for (int i = 0; i < wanted; i++) {
            Memory.setInt(to + i * stride, (int) (keys[i] & PLACE));
        }
    }

    private long key(long from, int place) {
        float x = Memory.getFloat(from + (long) place * Float.BYTES);
        // Adding zero turns -0 into 0.
        int bits = Float.floatToRawIntBits(x + 0f);
        int ordered = Float.isNaN(x) ? NAN : bits >= 0 ? bits : bits ^ Integer.MAX_VALUE;
        return (long) (descending ? ~ordered : ordered) << Integer.SIZE | place;
    }

    /** Leaves the smallest keys in a heap whose root is the largest of them. */
    private void keepBest(long from) {
        for (int i = 0; i < wanted; i++) {
            keys[i] = key(from, i);
        }
        for (int i = wanted / 2 - 1; i >= 0; i--) {
            sink(i, keys[i]);
        }
        for (int i = wanted; i < n && wanted > 0; i++) {
            long key = key(from, i);
            if (key < keys[0]) {
                sink(0, key);
            }
        }
    }

    private void sink(int start, long key) {
        int at = start;
        while (true) {
            int child = 2 * at + 1;
            if (child >= wanted) {
                break;
            }
            if (child + 1 < wanted && keys[child + 1] > keys[child]) {
                child++;
            }
            if (keys[child] <= key) {
                break;
            }
            keys[at] = keys[child];
            at = child;
        }
        keys[at] = key;
    }
}
