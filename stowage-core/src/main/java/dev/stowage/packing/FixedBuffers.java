package dev.stowage.packing;

import dev.stowage.error.InvalidPlanException;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Rejects fixed buffers that overlap in time and memory. */
final class FixedBuffers {

    private FixedBuffers() {}

    /** Throws if fixed buffers overlap. */
    static void requireApart(Problem problem) {
        int[] starting = byTime(problem, true);
        int[] byEnd = byTime(problem, false);
        NavigableMap<Long, Integer> live = new TreeMap<>();
        int ended = 0;
        for (int buffer : starting) {
            while (problem.to(byEnd[ended]) <= problem.from(buffer)) {
                live.remove(problem.fixedOffsetOrNone(byEnd[ended]));
                ended++;
            }
            long offset = problem.fixedOffsetOrNone(buffer);
            Map.Entry<Long, Integer> below = live.lowerEntry(offset + problem.size(buffer));
            if (below != null && below.getKey() + problem.size(below.getValue()) > offset) {
                throw new InvalidPlanException("buffer '" + problem.id(buffer) + "' is fixed at offset " + offset
                        + " with " + problem.size(buffer) + " bytes, where buffer '" + problem.id(below.getValue())
                        + "', live at the same time, is fixed at " + below.getKey() + " with "
                        + problem.size(below.getValue()) + " bytes");
            }
            live.put(offset, buffer);
        }
    }

    private static int[] byTime(Problem problem, boolean byStart) {
        return IntStream.range(0, problem.count())
                .filter(buffer -> problem.isFixed(buffer) && problem.size(buffer) > 0)
                .boxed()
                .sorted((a, b) -> byStart
                        ? Long.compare(problem.from(a), problem.from(b))
                        : Long.compare(problem.to(a), problem.to(b)))
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
