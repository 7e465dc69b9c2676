package dev.stowage.packing.search;

import dev.stowage.internal.IndexSort;
import dev.stowage.packing.Problem;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Places buffers in the order of their start, each in the smallest gap, as an allocator does at run time: the gaps are
 * those between the buffers that are live at that moment, and a buffer that ends gives its memory back. The offsets are
 * those of a {@link GapFit} in the same order, but the time per buffer grows only with the logarithm of their number.
 */
final class TimeSweep {

    /** Above every offset. */
    private static final long END_OF_MEMORY = Long.MAX_VALUE;

    private record Gap(long size, long begin) {}

    private final Problem problem;
    private final long[] offsets;
    private final NavigableMap<Long, Long> endOfGap = new TreeMap<>();
    private final NavigableSet<Gap> bySize =
            new TreeSet<>(Comparator.comparingLong(Gap::size).thenComparingLong(Gap::begin));

    /**
     * A sweep over the buffers of a problem.
     *
     * @param problem one without fixed buffers, which could start later where a gap is now
     */
    TimeSweep(Problem problem) {
        this.problem = problem;
        this.offsets = new long[problem.count()];
    }

    /** Whether all buffers of a problem can be placed by their start. */
    static boolean serves(Problem problem) {
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            if (problem.isFixed(buffer)) {
                return false;
            }
        }
        return true;
    }

    /** Packs all buffers; returns their offsets. */
    long[] pack() {
        int count = problem.count();
        long[] starts = new long[count];
        long[] ends = new long[count];
        for (int buffer = 0; buffer < count; buffer++) {
            starts[buffer] = problem.from(buffer);
            ends[buffer] = problem.to(buffer);
        }
        int[] byEnd = IndexSort.ascending(ends);
        int ended = 0;
        addGap(0, END_OF_MEMORY);
        for (int buffer : IndexSort.ascending(starts)) {
            while (ends[byEnd[ended]] <= starts[buffer]) {
                release(byEnd[ended++]);
            }
            if (problem.size(buffer) > 0) {
                place(buffer);
            }
        }
        return offsets;
    }

    private void place(int buffer) {
        Gap gap = smallestFor(problem.size(buffer), problem.alignment(buffer));
        long offset = SizeUnit.roundUp(gap.begin, problem.alignment(buffer));
        long top = offset + problem.size(buffer);
        long end = gap.begin + gap.size;
        removeGap(gap.begin, end);
        addGap(gap.begin, offset);
        addGap(top, end);
        offsets[buffer] = offset;
    }

    /** The gap of which the least is left from the aligned offset on; the lowest of several. */
    private Gap smallestFor(long size, long alignment) {
        Gap best = bySize.last();
        long bestUsable = best.size - padding(best, alignment);
        for (Gap gap : bySize.tailSet(new Gap(size, 0), true)) {
            // Padding is less than the alignment, so no later gap has less to use.
            if (gap.size - (alignment - 1) > bestUsable) {
                break;
            }
            long usable = gap.size - padding(gap, alignment);
            if (usable >= size && (usable < bestUsable || (usable == bestUsable && gap.begin < best.begin))) {
                best = gap;
                bestUsable = usable;
            }
        }
        return best;
    }

    private static long padding(Gap gap, long alignment) {
        return SizeUnit.roundUp(gap.begin, alignment) - gap.begin;
    }

    private void release(int buffer) {
        if (problem.size(buffer) == 0) {
            return;
        }
        long begin = offsets[buffer];
        long end = begin + problem.size(buffer);
        Map.Entry<Long, Long> below = endOfGap.floorEntry(begin);
        if (below != null && below.getValue() == begin) {
            begin = below.getKey();
            removeGap(begin, below.getValue());
        }
        Long above = endOfGap.get(end);
        if (above != null) {
            removeGap(end, above);
            end = above;
        }
        addGap(begin, end);
    }

    private void addGap(long begin, long end) {
        if (begin < end) {
            endOfGap.put(begin, end);
            bySize.add(new Gap(end - begin, begin));
        }
    }

    private void removeGap(long begin, long end) {
        endOfGap.remove(begin);
        bySize.remove(new Gap(end - begin, begin));
    }
}
