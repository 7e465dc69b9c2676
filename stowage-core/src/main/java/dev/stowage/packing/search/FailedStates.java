package dev.stowage.packing.search;

import java.util.Arrays;

/**
 * A transposition table of partial packings that are proven to fail. What can still be placed depends only on the
 * floors and the waiting buffers, and different prefixes often give the same skyline. Each independent component of a
 * skyline has a 64-bit hash of its own, so that a failure is recognised whatever is placed in the others.
 *
 * <p>A failure at one capacity is a failure at every smaller one, so entries outlive restarts and lower capacities. The
 * table has a fixed size; a newer entry replaces an older one.
 */
final class FailedStates {

    private static final int NO_RANGE = 0;
    private static final int FEWEST_BITS = 10;
    private static final int MOST_BITS = 19;

    private final int shift;
    private final long[] hashes;
    private final long[] ranges;
    private long capacity = -1;

    /** A table sized for a number of buffers. */
    FailedStates(int buffers) {
        int bits = Math.min(MOST_BITS, FEWEST_BITS + 32 - Integer.numberOfLeadingZeros(buffers));
        this.shift = 64 - bits;
        this.hashes = new long[1 << bits];
        this.ranges = new long[1 << bits];
    }

    /** Clears the table if the capacity has grown. */
    void prepare(long newCapacity) {
        if (newCapacity > capacity) {
            clear();
        }
        capacity = newCapacity;
    }

    void clear() {
        Arrays.fill(ranges, NO_RANGE);
    }

    /** Records that a component fails, with a conflict between two sections. */
    void add(long hash, int from, int to) {
        int slot = (int) (hash >>> shift);
        hashes[slot] = hash;
        ranges[slot] = (long) from << 32 | to;
    }

    /** Whether a component is known to fail. */
    boolean contains(long hash) {
        int slot = (int) (hash >>> shift);
        return hashes[slot] == hash && ranges[slot] != NO_RANGE;
    }

    /** The first section of the conflict of a failure. */
    int from(long hash) {
        return (int) (ranges[(int) (hash >>> shift)] >>> 32);
    }

    /** The end of the conflict of a failure. */
    int to(long hash) {
        return (int) ranges[(int) (hash >>> shift)];
    }

    /** Spreads the bits of a number over 64 bits. */
    static long mix(long value) {
        long mixed = (value ^ value >>> 33) * 0xff51afd7ed558ccdL;
        mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
        return mixed ^ mixed >>> 33;
    }
}
