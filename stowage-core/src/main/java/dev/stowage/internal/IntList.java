package dev.stowage.internal;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** A growable list of ints. */
public final class IntList {

    private int[] elements;
    private int size;

    public IntList(int expected) {
        elements = new int[expected];
    }

    /** That many empty lists, which allocate nothing until a number is added. */
    public static IntList[] empty(int count) {
        IntList[] lists = new IntList[count];
        Arrays.setAll(lists, _ -> new IntList(0));
        return lists;
    }

    public void add(int element) {
        if (size == elements.length) {
            grow();
        }
        elements[size++] = element;
    }

    /** Separate from {@link #add}, which stays small enough to be inlined. */
    private void grow() {
        elements = Arrays.copyOf(elements, Math.max(4, 2 * size));
    }

    /** Adds the numbers of an array from {@code from} up to but not including {@code to}. */
    public void addAll(int[] numbers, int from, int to) {
        int count = to - from;
        if (size + count > elements.length) {
            elements = Arrays.copyOf(elements, Math.max(2 * size, size + count));
        }
        System.arraycopy(numbers, from, elements, size, count);
        size += count;
    }

    /** Adds the numbers from {@code from} up to but not including {@code to}. */
    public void addRange(int from, int to) {
        int end = size + to - from;
        if (end > elements.length) {
            elements = Arrays.copyOf(elements, Math.max(2 * size, end));
        }
        for (int i = size; i < end; i++) {
            elements[i] = from + i - size;
        }
        size = end;
    }

    public int get(int index) {
        return elements[index];
    }

    public boolean contains(int number) {
        for (int i = 0; i < size; i++) {
            if (elements[i] == number) {
                return true;
            }
        }
        return false;
    }

    public boolean anyMatch(IntPredicate condition) {
        for (int i = 0; i < size; i++) {
            if (condition.test(elements[i])) {
                return true;
            }
        }
        return false;
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

    /** The array of this list, which must not be used any more: the numbers, and zeros up to at least that length. */
    public int[] intoArray(int length) {
        return elements.length < length ? Arrays.copyOf(elements, length) : elements;
    }

    public void copyTo(int[] target, int at) {
        System.arraycopy(elements, 0, target, at, size);
    }

    public int[] toArray() {
        return Arrays.copyOf(elements, size);
    }
}
