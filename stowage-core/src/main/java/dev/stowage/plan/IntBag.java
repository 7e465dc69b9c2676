package dev.stowage.plan;

import java.util.Arrays;

/** A list of numbers that grows. */
final class IntBag {

    private static final int[] NOTHING = {};

    private int[] numbers = NOTHING;
    private int size;

    /** So many empty ones. */
    static IntBag[] empty(int count) {
        IntBag[] bags = new IntBag[count];
        Arrays.setAll(bags, _ -> new IntBag());
        return bags;
    }

    void add(int number) {
        if (size == numbers.length) {
            numbers = Arrays.copyOf(numbers, Math.max(4, size * 2));
        }
        numbers[size++] = number;
    }

    int get(int index) {
        return numbers[index];
    }

    boolean contains(int number) {
        for (int i = 0; i < size; i++) {
            if (numbers[i] == number) {
                return true;
            }
        }
        return false;
    }

    int size() {
        return size;
    }

    void clear() {
        size = 0;
    }
}
