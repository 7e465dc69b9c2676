package dev.stowage.plan;

import java.util.Map;
import java.util.TreeMap;

/**
 * Who wrote each byte of a stretch of memory last, as intervals: every write has a number of its own, its version, and
 * bytes that are not written yet have version {@link #UNWRITTEN}.
 *
 * <pre>
 *   key      0        16            48
 *   version  |   3    |      7      |    0 ...      write 3, then write 7 over its end
 * </pre>
 */
final class ByteVersions {

    static final long UNWRITTEN = 0;

    /** The version from each key up to the next. */
    private final TreeMap<Long, Long> versions = new TreeMap<>();

    void write(long from, long to, long version) {
        if (from < to) {
            long after = at(to);
            versions.subMap(from, to).clear();
            versions.put(from, version);
            versions.put(to, after);
        }
    }

    long at(long position) {
        Map.Entry<Long, Long> interval = versions.floorEntry(position);
        return interval == null ? UNWRITTEN : interval.getValue();
    }

    /** Where the next interval after a position begins. */
    private long nextAfter(long position) {
        Long next = versions.higherKey(position);
        return next == null ? Long.MAX_VALUE : next;
    }

    /**
     * The first position from {@code from} up to {@code to} at which {@code memory}, in which this stretch begins at
     * {@code start}, has another version than this, or {@code to} if there is none. Bytes that were never written here
     * may have any version there.
     */
    long firstDifference(long from, long to, ByteVersions memory, long start) {
        long position = from;
        while (position < to) {
            long expected = at(position);
            if (expected != UNWRITTEN && expected != memory.at(start + position)) {
                return position;
            }
            position = Math.min(nextAfter(position), memory.nextAfter(start + position) - start);
        }
        return to;
    }
}
