package dev.stowage.llm.tokenizer;

import java.util.Arrays;

/**
 * The pairs of neighbours that can be joined, the most urgent first and of those the leftmost: a binary heap over plain
 * arrays. A pair that another join made obsolete stays in the queue until it is polled.
 */
final class MergeQueue {

    /** The urgency in the upper half, the index of the left neighbour in the lower; the least comes first. */
    private long[] keys = new long[64];

    /** How long both are together, by which an obsolete pair is recognised. */
    private int[] lengths = new int[64];

    private int[] results = new int[64];
    private int size;

    boolean isEmpty() {
        return size == 0;
    }

    void clear() {
        size = 0;
    }

    void add(int urgency, int left, int length, int result) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, 2 * size);
            lengths = Arrays.copyOf(lengths, 2 * size);
            results = Arrays.copyOf(results, 2 * size);
        }
        long key = ((long) urgency << Integer.SIZE) | left;
        int at = size++;
        while (at > 0) {
            int parent = (at - 1) / 2;
            if (keys[parent] <= key) {
                break;
            }
            move(parent, at);
            at = parent;
        }
        put(at, key, length, result);
    }

    int left() {
        return (int) keys[0];
    }

    int length() {
        return lengths[0];
    }

    int result() {
        return results[0];
    }

    /** Drops the first. */
    void remove() {
        size--;
        long key = keys[size];
        int length = lengths[size];
        int result = results[size];
        int at = 0;
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && keys[child + 1] < keys[child]) {
                child++;
            }
            if (key <= keys[child]) {
                break;
            }
            move(child, at);
            at = child;
        }
        put(at, key, length, result);
    }

    private void move(int from, int to) {
        put(to, keys[from], lengths[from], results[from]);
    }

    private void put(int at, long key, int length, int result) {
        keys[at] = key;
        lengths[at] = length;
        results[at] = result;
    }
}
