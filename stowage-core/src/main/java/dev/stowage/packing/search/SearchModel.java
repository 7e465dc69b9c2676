package dev.stowage.packing.search;

import dev.stowage.packing.Problem;
import dev.stowage.packing.Solution;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * A problem as the search wants it: sections instead of time, units instead of bytes, and what can be known of every
 * buffer before the search begins. The arrays are read in the innermost loops and never written after construction.
 *
 * <p>A unit is the largest number of bytes that divides all offsets worth trying. Where every alignment shares a divisor,
 * sizes are first rounded up to it: the bytes after a buffer could not be used by another anyway. That often makes
 * alignment vanish altogether.
 */
final class SearchModel {

    /** Higher than any memory; still far from overflowing when sizes are added. */
    static final long UNREACHABLE = Long.MAX_VALUE / 4;

    /** How many buffers and sections there are; buffers without bytes are there and live in no section. */
    final int count;

    final int sections;

    /** The sections a buffer is live in, from the first to the one after the last. */
    final int[] first;

    final int[] end;

    /** What it takes and what its offset must be a multiple of, in units. */
    final long[] size;

    final long[] alignment;

    /** Where it must lie, or -1. */
    final long[] fixed;

    /** The buffers that must lie somewhere. */
    final int[] fixedBuffers;

    /** A buffer of lower index with the same lifetime, size and alignment, or -1: twins are placed in that order. */
    final int[] twin;

    /** The buffers whose first section it is, by section. */
    final int[][] starting;

    /** The smallest buffer, in units. */
    final long smallest;

    /** The largest alignment, in units. */
    final long coarsestAlignment;

    private final Problem problem;
    private final long unit;
    private final boolean isPadded;

    SearchModel(Problem problem) {
        this.problem = problem;
        TimeSections timeline = new TimeSections(problem);
        count = problem.count();
        sections = timeline.sections();
        first = new int[count];
        end = new int[count];
        size = new long[count];
        alignment = new long[count];
        fixed = new long[count];
        SizeUnit units = SizeUnit.of(problem);
        unit = units.bytes();
        for (int buffer = 0; buffer < count; buffer++) {
            first[buffer] = timeline.first(buffer);
            end[buffer] = timeline.end(buffer);
            size[buffer] = units.padded(problem.size(buffer)) / unit;
            alignment[buffer] = Math.max(1, problem.alignment(buffer) / unit);
            fixed[buffer] = problem.isFixed(buffer) ? problem.fixedOffsetOrNone(buffer) / unit : -1;
        }
        fixedBuffers = buffers(buffer -> fixed[buffer] >= 0 && size[buffer] > 0);
        twin = IdenticalBuffers.of(this, problem);
        starting = startingBySection();
        coarsestAlignment = Arrays.stream(alignment).max().orElse(1);
        isPadded = units.padding() > 1;
        smallest = Arrays.stream(size).filter(s -> s > 0).min().orElse(0);
    }

    private int[] buffers(IntPredicate which) {
        return IntStream.range(0, count).filter(which).toArray();
    }

    private int[][] startingBySection() {
        int[] counts = new int[sections];
        int[] living = buffers(buffer -> size[buffer] > 0);
        for (int buffer : living) {
            counts[first[buffer]]++;
        }
        int[][] starts = new int[sections][];
        Arrays.setAll(starts, section -> new int[counts[section]]);
        for (int at = living.length - 1; at >= 0; at--) {
            int section = first[living[at]];
            starts[section][--counts[section]] = living[at];
        }
        return starts;
    }

    /** The highest end, in units, that a buffer may have under a capacity in bytes. */
    long highestEnd(int buffer, long capacity) {
        return Math.floorDiv(capacity - problem.size(buffer), unit) + size[buffer];
    }

    /** The solution that belongs to offsets in units. */
    Solution solution(long[] offsets) {
        long[] bytes = new long[count];
        for (int buffer = 0; buffer < count; buffer++) {
            bytes[buffer] = size[buffer] == 0 ? Math.max(0, problem.fixedOffsetOrNone(buffer)) : offsets[buffer] * unit;
        }
        return Solution.of(problem, bytes);
    }

    /** Whether every section is so full that no byte may be lost under a capacity. */
    boolean isTight(long capacity) {
        long[] loads = new long[sections];
        for (int buffer = 0; buffer < count; buffer++) {
            for (int section = first[buffer]; section < end[buffer]; section++) {
                loads[section] += size[buffer];
            }
        }
        return Arrays.stream(loads).allMatch(load -> load >= capacity / unit);
    }

    /** The bytes of a unit. */
    long unit() {
        return unit;
    }

    /** The lowest height from {@code bytes} upwards that a packing can have at all. */
    long possibleHeight(long bytes) {
        return isPadded ? bytes : SizeUnit.roundUp(bytes, unit);
    }

    /** Whether two buffers have exactly the same lifetime. */
    boolean sameLife(int a, int b) {
        return first[a] == first[b] && end[a] == end[b];
    }
}
