package dev.stowage.internal;

import java.util.Arrays;

/** Sorts indices by primitive keys, stable and without boxing. */
public final class IndexSort {

    private IndexSort() {}

    /** The indices of {@code keys} in ascending order of their keys. */
    public static int[] ascending(long[] keys) {
        int[] order = new int[keys.length];
        Arrays.setAll(order, index -> index);
        sort(order, keys);
        return order;
    }

    /** The indices of {@code keys} in descending order of their keys. */
    public static int[] descending(long[] keys) {
        long[] negated = new long[keys.length];
        Arrays.setAll(negated, index -> -keys[index]);
        return ascending(negated);
    }

    /** Sorts indices by their keys, in place and stable. */
    public static void sort(int[] order, long[] keys) {
        int[] from = order.clone();
        int[] into = order;
        mergeSort(from, into, 0, order.length, keys);
    }

    /** Both arrays hold the same indices in the range; afterwards {@code into} holds them sorted. */
    private static void mergeSort(int[] from, int[] into, int begin, int end, long[] keys) {
        if (end - begin < 8) {
            insertionSort(into, begin, end, keys);
            return;
        }
        int middle = (begin + end) >>> 1;
        mergeSort(into, from, begin, middle, keys);
        mergeSort(into, from, middle, end, keys);
        int left = begin;
        int right = middle;
        for (int at = begin; at < end; at++) {
            boolean takeLeft = right >= end || (left < middle && keys[from[left]] <= keys[from[right]]);
            into[at] = takeLeft ? from[left++] : from[right++];
        }
    }

    private static void insertionSort(int[] order, int begin, int end, long[] keys) {
        for (int at = begin + 1; at < end; at++) {
            int moving = order[at];
            int hole = at;
            while (hole > begin && keys[order[hole - 1]] > keys[moving]) {
                order[hole] = order[hole - 1];
                hole--;
            }
            order[hole] = moving;
        }
    }
}
