package dev.stowage.packing.search;

import java.util.Arrays;

/**
 * Remembers partial packings that were proven to lead nowhere. What can still be placed depends only on the floors and on
 * who is waiting, not on how it came to that, and different beginnings often meet in the same skyline. A skyline falls
 * apart into components, ranges of sections that no waiting buffer connects; each is known by a 64-bit hash of its own, so
 * that a dead end in one range of time is recognised whatever happens in the others.
 *
 * <p>What fails at one capacity fails at every smaller one, so the memory outlives restarts and lower capacities. The
 * table has a fixed size, a newer entry replaces an older one.
 */
final class FailedStates {

    private static final int NO_RANGE = 0;
    private static final int FEWEST_BITS = 10;
    private static final int MOST_BITS = 19;

    private final int shift;
    private final long[] hashes;
    private final long[] ranges;
    private long capacity = -1;

    /** A memory as large as a problem of so many buffers deserves. */
    FailedStates(int buffers) {
        int bits = Math.min(MOST_BITS, FEWEST_BITS + 32 - Integer.numberOfLeadingZeros(buffers));
        this.shift = 64 - bits;
        this.hashes = new long[1 << bits];
        this.ranges = new long[1 << bits];
    }

    /** Forgets what was proven at a lower capacity only. */
    void prepare(long newCapacity) {
        if (newCapacity > capacity) {
            clear();
        }
        capacity = newCapacity;
    }

    void clear() {
        Arrays.fill(ranges, NO_RANGE);
    }

    /** Takes down that a component fails, for reasons between two sections. */
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

    /** Where the reasons of a known failure begin. */
    int from(long hash) {
        return (int) (ranges[(int) (hash >>> shift)] >>> 32);
    }

    /** Where the reasons of a known failure end. */
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
