package dev.stowage.graph;

import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A hash map from tensors to numbers: open addressing over tensor serials, spread by multiplicative hashing because
 * neighbours in a graph have neighbouring serials. Numbers are any {@code int} but {@link #ABSENT}.
 */
final class TensorTable {

    /** The value for an absent tensor. */
    static final int ABSENT = Integer.MIN_VALUE;

    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private @Nullable Tensor[] keys;
    private int[] values;
    private int shift;
    private int size;

    TensorTable(int expected) {
        int capacity = Integer.highestOneBit(Math.max(8, Math.min(expected, 1 << 28)) * 2 - 1) << 1;
        keys = new Tensor[capacity];
        values = new int[capacity];
        shift = 64 - Integer.numberOfTrailingZeros(capacity);
    }

    int get(Tensor tensor) {
        int slot = slotOf(tensor);
        return keys[slot] == null ? ABSENT : values[slot];
    }

    /** Puts or replaces the number of a tensor and returns the one it had. */
    int put(Tensor tensor, int value) {
        int slot = slotOf(tensor);
        if (keys[slot] != null) {
            int previous = values[slot];
            values[slot] = value;
            return previous;
        }
        keys[slot] = tensor;
        values[slot] = value;
        if (++size * 2 > keys.length) {
            grow();
        }
        return ABSENT;
    }

    private int slotOf(Tensor tensor) {
        int mask = keys.length - 1;
        int slot = (int) ((tensor.serial() * SPREAD) >>> shift);
        while (keys[slot] != null && keys[slot] != tensor) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }

    private void grow() {
        @Nullable Tensor[] oldKeys = keys;
        int[] oldValues = values;
        keys = Arrays.copyOf(new Tensor[0], oldKeys.length * 2);
        values = new int[oldKeys.length * 2];
        shift--;
        for (int i = 0; i < oldKeys.length; i++) {
            Tensor key = oldKeys[i];
            if (key != null) {
                int slot = slotOf(key);
                keys[slot] = key;
                values[slot] = oldValues[i];
            }
        }
    }
}
