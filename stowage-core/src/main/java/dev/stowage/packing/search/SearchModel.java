package dev.stowage.packing.search;

import dev.stowage.packing.Problem;
import dev.stowage.packing.Solution;
import java.util.Arrays;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * A problem preprocessed for the search: sections instead of time, units instead of bytes. The arrays are read in the
 * innermost loops and never written after construction.
 *
 * <p>A unit is the largest number of bytes that divides all offsets worth trying. If all alignments have a common
 * divisor, sizes are first rounded up to it, since the bytes in between are unusable; often no alignment is left then.
 */
final class SearchModel {

    /** Above any offset, with room to add sizes without overflow. */
    static final long UNREACHABLE = Long.MAX_VALUE / 4;

    /** The number of buffers and sections; empty buffers are live in no section. */
    final int count;

    final int sections;

    /** The live range of a buffer in sections, end exclusive. */
    final int[] first;

    final int[] end;

    /** Size and alignment, in units. */
    final long[] size;

    final long[] alignment;

    /** The fixed offset, or -1. */
    final long[] fixed;

    /** The buffers with a fixed offset. */
    final int[] fixedBuffers;

    /** The identical predecessor of a buffer, or -1: identical buffers are placed by index. */
    final int[] identical;

    /** By section, the buffers that start there. */
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
        TimeSections timeSections = new TimeSections(problem);
        count = problem.count();
        sections = timeSections.sections();
        first = new int[count];
        end = new int[count];
        size = new long[count];
        alignment = new long[count];
        fixed = new long[count];
        SizeUnit units = SizeUnit.of(problem);
        unit = units.bytes();
        for (int buffer = 0; buffer < count; buffer++) {
            first[buffer] = timeSections.first(buffer);
            end[buffer] = timeSections.end(buffer);
            size[buffer] = units.padded(problem.size(buffer)) / unit;
            alignment[buffer] = Math.max(1, problem.alignment(buffer) / unit);
            fixed[buffer] = problem.isFixed(buffer) ? problem.fixedOffsetOrNone(buffer) / unit : -1;
        }
        fixedBuffers = buffers(buffer -> fixed[buffer] >= 0 && size[buffer] > 0);
        identical = IdenticalBuffers.of(this, problem);
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
        int[] live = buffers(buffer -> size[buffer] > 0);
        for (int buffer : live) {
            counts[first[buffer]]++;
        }
        int[][] starts = new int[sections][];
        Arrays.setAll(starts, section -> new int[counts[section]]);
        for (int at = live.length - 1; at >= 0; at--) {
            int section = first[live[at]];
            starts[section][--counts[section]] = live[at];
        }
        return starts;
    }

    /** The highest end, in units, that a buffer may have under a capacity in bytes. */
    long highestEnd(int buffer, long capacity) {
        return Math.floorDiv(capacity - problem.size(buffer), unit) + size[buffer];
    }

    /** The solution with these offsets in units. */
    Solution solution(long[] offsets) {
        long[] bytes = new long[count];
        for (int buffer = 0; buffer < count; buffer++) {
            bytes[buffer] = size[buffer] == 0 ? Math.max(0, problem.fixedOffsetOrNone(buffer)) : offsets[buffer] * unit;
        }
        return Solution.of(problem, bytes);
    }

    /** Whether no section has slack under a capacity. */
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

    /** The lowest possible height of a packing that is at least {@code bytes}: some buffer ends there. */
    long possibleHeight(long bytes) {
        long least = isPadded ? bytes : SizeUnit.roundUp(bytes, unit);
        return IntStream.range(0, count)
                .filter(buffer -> size[buffer] > 0)
                .mapToLong(buffer -> possibleEnd(buffer, least))
                .filter(end -> end >= least)
                .min()
                .orElse(least);
    }

    /** The lowest end of a buffer that is at least {@code bytes}; that of a fixed one, whatever it is. */
    private long possibleEnd(int buffer, long bytes) {
        long bufferSize = problem.size(buffer);
        long offset = problem.isFixed(buffer)
                ? problem.fixedOffsetOrNone(buffer)
                : SizeUnit.roundUp(Math.max(0, bytes - bufferSize), problem.alignment(buffer));
        return offset + bufferSize;
    }

    /** Whether two buffers have exactly the same lifetime. */
    boolean sameLifetime(int a, int b) {
        return first[a] == first[b] && end[a] == end[b];
    }
}
