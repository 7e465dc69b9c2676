package dev.stowage.internal;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A set of objects by identity that keeps the order they were added in: open addressing, at most half full. Clearing
 * and filling it again creates no garbage. Not thread-safe.
 */
public final class IdentitySet<T> {

    private static final int SMALLEST_TABLE = 8;

    private @Nullable Object[] table = new Object[SMALLEST_TABLE];
    private @Nullable Object[] elements = new Object[SMALLEST_TABLE / 2];
    private int size;

    /** An empty set. */
    public IdentitySet() {}

    public int size() {
        return size;
    }

    /** The element that was added as number {@code index}. */
    @SuppressWarnings("unchecked") // only elements are stored
    public T get(int index) {
        return (T) Objects.requireNonNull(elements[index]);
    }

    public boolean contains(T element) {
        return table[slot(element)] != null;
    }

    /** Adds an element; false if it was there. */
    public boolean add(T element) {
        int slot = slot(element);
        if (table[slot] != null) {
            return false;
        }
        if (size == elements.length) {
            grow();
            slot = slot(element);
        }
        table[slot] = element;
        elements[size++] = element;
        return true;
    }

    public void clear() {
        Arrays.fill(table, null);
        Arrays.fill(elements, 0, size, null);
        size = 0;
    }

    /** The slot that has the element, or the empty one where it belongs. */
    @SuppressWarnings("ReferenceEquality") // a set by identity
    private int slot(Object element) {
        int mask = table.length - 1;
        int slot = System.identityHashCode(element) & mask;
        while (table[slot] != null && table[slot] != element) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        elements = Arrays.copyOf(elements, 2 * size);
        table = new Object[2 * table.length];
        for (int i = 0; i < size; i++) {
            table[slot(get(i))] = elements[i];
        }
    }
}
