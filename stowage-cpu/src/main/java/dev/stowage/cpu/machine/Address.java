package dev.stowage.cpu.machine;

import org.jspecify.annotations.Nullable;

/**
 * Memory that an instruction reads or writes: base + index * scale + displacement.
 *
 * @param index a register, or null for none; not RSP, for which there is no encoding
 * @param scale what the index is multiplied with: 1, 2, 4 or 8
 * @param broadcast whether one element is read and repeated in every lane
 */
public record Address(Gp base, @Nullable Gp index, int scale, int displacement, boolean broadcast) implements Operand {

    public Address {
        if (index == Gp.RSP) {
            throw new IllegalArgumentException("RSP cannot be an index");
        }
        if (scale != 1 && scale != 2 && scale != 4 && scale != 8) {
            throw new IllegalArgumentException("an index can be multiplied with 1, 2, 4 or 8, not with " + scale);
        }
    }

    /** What a register points to. */
    public static Address at(Gp base) {
        return at(base, 0);
    }

    /** Memory at a distance from where a register points to. */
    public static Address at(Gp base, int displacement) {
        return new Address(base, null, 1, displacement, false);
    }

    /** Memory at base + index * scale + displacement. */
    public static Address at(Gp base, Gp index, int scale, int displacement) {
        return new Address(base, index, scale, displacement, false);
    }

    /** An element in memory, in every lane. */
    public static Address broadcast(Gp base, int displacement) {
        return at(base, displacement).repeated();
    }

    /** Memory so many bytes after this. */
    public Address plus(int bytes) {
        return new Address(base, index, scale, displacement + bytes, broadcast);
    }

    /** The element at this address, in every lane. */
    public Address repeated() {
        return new Address(base, index, scale, displacement, true);
    }
}
