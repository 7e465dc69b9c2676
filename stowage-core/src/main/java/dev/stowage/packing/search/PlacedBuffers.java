package dev.stowage.packing.search;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The buffers placed so far, found by time and read by ascending offset. A buffer whose lifetime is at most 2^k sections is
 * in one or two buckets of level k, each of 2^k sections; a bucket is sorted by offset:
 *
 * <pre>
 *   level 2   ├───────────────┼───────────────┤      ━━━━━━━━━  three sections: level 2, both buckets
 *   level 1   ├───────┼───────┼───────┼───────┤   ━━━━  two: level 1
 *   level 0   ├───┼───┼───┼───┼───┼───┼───┼───┤
 * </pre>
 *
 * A query merges the buckets that its sections touch, so its cost grows with the buffers live at the same time and not
 * with all. Levels below a typical lifetime would only spread the buffers over more buckets, so there are none. Where most
 * buffers are live together, a single bucket holds all.
 */
final class PlacedBuffers {

    /** With fewer buffers one sorted list is faster than several. */
    private static final int WORTH_LEVELS = 2000;

    /** Neighbours per buffer, as a part of all buffers, from which on one list is faster. */
    private static final int DENSE = 12;

    private final int lowestLevel;
    private final @Nullable Bucket[][] levels;
    private final int[] countOfLevel;
    private final Merge merge = new Merge();

    PlacedBuffers(TimeSections timeSections, int count) {
        int sections = Math.max(1, timeSections.sections());
        int highest = level(sections);
        this.lowestLevel = isWorthLevels(timeSections, count) ? typicalLevel(timeSections, count) : highest;
        this.levels = new Bucket[highest - lowestLevel + 1][];
        for (int index = 0; index < levels.length; index++) {
            levels[index] = new Bucket[((sections - 1) >> (lowestLevel + index)) + 1];
        }
        this.countOfLevel = new int[levels.length];
    }

    /** The smallest k with at least {@code sections} in 2^k. */
    private static int level(int sections) {
        return 32 - Integer.numberOfLeadingZeros(sections - 1);
    }

    private static boolean isWorthLevels(TimeSections timeSections, int count) {
        if (count < WORTH_LEVELS) {
            return false;
        }
        long neighbours = 0;
        for (long each : timeSections.neighbours()) {
            neighbours += each;
        }
        return neighbours / count * DENSE < count;
    }

    private static int typicalLevel(TimeSections timeSections, int count) {
        long sum = 0;
        for (int buffer = 0; buffer < count; buffer++) {
            sum += level(Math.max(1, timeSections.end(buffer) - timeSections.first(buffer)));
        }
        return (int) (sum / count);
    }

    /** Removes every buffer. */
    void clear() {
        Arrays.fill(countOfLevel, 0);
        for (@Nullable Bucket[] level : levels) {
            for (Bucket bucket : level) {
                if (bucket != null) {
                    bucket.size = 0;
                }
            }
        }
    }

    /** Adds a buffer that is live from section {@code first} to {@code end} and takes memory from {@code begin} to {@code top}. */
    void add(int first, int end, long begin, long top) {
        int level = Math.max(lowestLevel, level(end - first));
        @Nullable Bucket[] buckets = levels[level - lowestLevel];
        countOfLevel[level - lowestLevel]++;
        for (int at = first >> level; at <= (end - 1) >> level; at++) {
            Bucket bucket = buckets[at];
            if (bucket == null) {
                bucket = new Bucket();
                buckets[at] = bucket;
            }
            bucket.add(first, end, begin, top);
        }
    }

    /** The lowest aligned offset at which {@code size} bytes are free in the sections from {@code first} to {@code end}. */
    long lowestGap(int first, int end, long size, long alignment) {
        merge.start(first, end);
        long offset = 0;
        while (merge.isOpen()) {
            if (merge.begin() - offset >= size) {
                return offset;
            }
            if (merge.top() > offset) {
                offset = SizeUnit.roundUp(merge.top(), alignment);
            }
            merge.next();
        }
        return offset;
    }

    /** The aligned offset in the smallest gap of at least {@code size} bytes. */
    long smallestGap(int first, int end, long size, long alignment) {
        merge.start(first, end);
        long offset = 0;
        long best = -1;
        long bestGap = Long.MAX_VALUE;
        while (merge.isOpen()) {
            long gap = merge.begin() - offset;
            if (gap >= size && gap < bestGap) {
                bestGap = gap;
                best = offset;
            }
            if (merge.top() > offset) {
                offset = SizeUnit.roundUp(merge.top(), alignment);
            }
            merge.next();
        }
        return best >= 0 ? best : offset;
    }

    /** Buffers sorted by offset: their live sections, and their begin and top in memory. */
    private static final class Bucket {

        private int size;
        private int[] first = new int[4];
        private int[] end = new int[4];
        private long[] begin = new long[4];
        private long[] top = new long[4];

        void add(int newFirst, int newEnd, long newBegin, long newTop) {
            if (size == begin.length) {
                first = Arrays.copyOf(first, 2 * size);
                end = Arrays.copyOf(end, 2 * size);
                begin = Arrays.copyOf(begin, 2 * size);
                top = Arrays.copyOf(top, 2 * size);
            }
            int at = firstAbove(newBegin);
            int moved = size - at;
            System.arraycopy(first, at, first, at + 1, moved);
            System.arraycopy(end, at, end, at + 1, moved);
            System.arraycopy(begin, at, begin, at + 1, moved);
            System.arraycopy(top, at, top, at + 1, moved);
            first[at] = newFirst;
            end[at] = newEnd;
            begin[at] = newBegin;
            top[at] = newTop;
            size++;
        }

        private int firstAbove(long offset) {
            int low = 0;
            int high = size;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (begin[middle] <= offset) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        /** The next entry from {@code from} on that is live in one of the sections. */
        int nextLive(int from, int firstSection, int endSection) {
            int at = from;
            while (at < size && (first[at] >= endSection || firstSection >= end[at])) {
                at++;
            }
            return at;
        }
    }

    /** The buffers live in a range of sections by ascending offset: a heap of buckets, the next one to read first. */
    private final class Merge {

        private int firstSection;
        private int endSection;
        private Bucket[] bucket = new Bucket[8];
        private int[] at = new int[8];
        private int size;

        void start(int first, int end) {
            firstSection = first;
            endSection = end;
            size = 0;
            for (int index = 0; index < levels.length; index++) {
                int level = lowestLevel + index;
                if (countOfLevel[index] > 0) {
                    for (int each = first >> level; each <= (end - 1) >> level; each++) {
                        push(levels[index][each]);
                    }
                }
            }
            for (int parent = size / 2 - 1; parent >= 0; parent--) {
                sift(parent);
            }
        }

        private void push(@Nullable Bucket added) {
            if (added == null) {
                return;
            }
            int next = added.nextLive(0, firstSection, endSection);
            if (next == added.size) {
                return;
            }
            if (size == at.length) {
                bucket = Arrays.copyOf(bucket, 2 * size);
                at = Arrays.copyOf(at, 2 * size);
            }
            bucket[size] = added;
            at[size++] = next;
        }

        /** Whether there is a buffer. */
        boolean isOpen() {
            return size > 0;
        }

        /** Where the buffer begins. */
        long begin() {
            return bucket[0].begin[at[0]];
        }

        /** Where it ends. */
        long top() {
            return bucket[0].top[at[0]];
        }

        /** Goes on to the next. */
        void next() {
            Bucket read = bucket[0];
            int next = read.nextLive(at[0] + 1, firstSection, endSection);
            if (next < read.size) {
                at[0] = next;
            } else {
                size--;
                bucket[0] = bucket[size];
                at[0] = at[size];
            }
            if (size > 1) {
                sift(0);
            }
        }

        /** Moves an entry down to where it belongs. */
        private void sift(int from) {
            Bucket moving = bucket[from];
            int movingAt = at[from];
            long key = moving.begin[movingAt];
            int hole = from;
            for (int child = 2 * hole + 1; child < size; child = 2 * hole + 1) {
                if (child + 1 < size && bucket[child + 1].begin[at[child + 1]] < bucket[child].begin[at[child]]) {
                    child++;
                }
                if (bucket[child].begin[at[child]] >= key) {
                    break;
                }
                bucket[hole] = bucket[child];
                at[hole] = at[child];
                hole = child;
            }
            bucket[hole] = moving;
            at[hole] = movingAt;
        }
    }
}
