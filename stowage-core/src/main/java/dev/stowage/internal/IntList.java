package dev.stowage.internal;

import java.util.Arrays;

/** A list of numbers that grows, without an object per number. */
public final class IntList {

    private int[] elements;
    private int size;

    public IntList(int expected) {
        elements = new int[Math.max(4, expected)];
    }

    public void add(int element) {
        if (size == elements.length) {
            elements = Arrays.copyOf(elements, 2 * size);
        }
        elements[size++] = element;
    }

    public int get(int index) {
        return elements[index];
    }

    public int size() {
        return size;
    }

    public int last() {
        return elements[size - 1];
    }

    public void clear() {
        size = 0;
    }

    public int[] toArray() {
        return Arrays.copyOf(elements, size);
    }
}
