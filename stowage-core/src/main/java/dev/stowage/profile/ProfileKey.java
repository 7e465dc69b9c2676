package dev.stowage.profile;

import java.util.Arrays;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * The key of a sum: a device, and the number of a split or the functions and types of nodes. A mutable instance is
 * reused for lookups without allocation; only a {@linkplain #copy() copy} is ever stored.
 */
final class ProfileKey {

    private static final int NO_NUMBER = -1;

    private String device = "";
    private int number = NO_NUMBER;
    private Enum<?>[] parts = new Enum<?>[8];
    private int count;

    /** Starts the key of some nodes, which are added. */
    void begin(String newDevice) {
        begin(newDevice, NO_NUMBER);
    }

    /** Makes it the key of a split. */
    void begin(String newDevice, int newNumber) {
        device = newDevice;
        number = newNumber;
        count = 0;
    }

    /** Adds a node. */
    void add(Enum<?> function, Enum<?> type) {
        if (count == parts.length) {
            parts = Arrays.copyOf(parts, 2 * count);
        }
        parts[count++] = function;
        parts[count++] = type;
    }

    String device() {
        return device;
    }

    /** The number of the split. */
    int number() {
        return number;
    }

    /** The name of the nodes. */
    String label() {
        StringJoiner label = new StringJoiner("+");
        for (int i = 0; i < count; i += 2) {
            label.add(NodeKind.label(parts[i], parts[i + 1]));
        }
        return label.toString();
    }

    ProfileKey copy() {
        ProfileKey copy = new ProfileKey();
        copy.begin(device, number);
        copy.parts = Arrays.copyOf(parts, count);
        copy.count = count;
        return copy;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ProfileKey that
                && device.equals(that.device)
                && number == that.number
                && Arrays.equals(parts, 0, count, that.parts, 0, that.count);
    }

    @Override
    public int hashCode() {
        int hash = 31 * device.hashCode() + number;
        for (int i = 0; i < count; i++) {
            hash = 31 * hash + parts[i].hashCode();
        }
        return hash;
    }
}
