package dev.stowage.packing;

import dev.stowage.error.InvalidPlanException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Validates a solution independently of any packer: replays it in time and reports buffers that overlap a live one, are
 * below zero, misaligned or not at their fixed offset.
 */
public final class SolutionCheck {

    private SolutionCheck() {}

    /** The violations of a solution, one sentence each; empty if it is valid. */
    public static List<String> violations(Problem problem, Solution solution) {
        List<String> found = new ArrayList<>();
        if (solution.count() != problem.count()) {
            found.add("the solution has " + solution.count() + " offsets for " + problem.count() + " buffers");
            return found;
        }
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            checkOffset(problem, solution, buffer, found);
        }
        checkOverlaps(problem, solution, found);
        return found;
    }

    /**
     * Returns the solution if it is valid.
     *
     * @throws InvalidPlanException if it is not; the message lists the first violations
     */
    public static Solution requireValid(Problem problem, Solution solution) {
        List<String> found = violations(problem, solution);
        if (!found.isEmpty()) {
            throw new InvalidPlanException("the solution breaks the rules " + found.size() + " times: "
                    + String.join("; ", found.subList(0, Math.min(5, found.size()))));
        }
        return solution;
    }

    private static void checkOffset(Problem problem, Solution solution, int buffer, List<String> found) {
        long offset = solution.offset(buffer);
        String where = "buffer '" + problem.id(buffer) + "' is at offset " + offset;
        if (offset < 0) {
            found.add(where + ", below the beginning of memory");
        }
        if (offset % problem.alignment(buffer) != 0) {
            found.add(where + ", which is not a multiple of its alignment " + problem.alignment(buffer));
        }
        if (problem.isFixed(buffer) && problem.fixedOffset(buffer).getAsLong() != offset) {
            found.add(where + ", but is fixed at " + problem.fixedOffset(buffer).getAsLong());
        }
        if (problem.size(buffer) > 0 && offset > solution.height() - problem.size(buffer)) {
            found.add(where + " with " + problem.size(buffer) + " bytes, beyond the height " + solution.height());
        }
    }

    private static void checkOverlaps(Problem problem, Solution solution, List<String> found) {
        List<Integer> starts = new ArrayList<>(IntStream.range(0, problem.count())
                .filter(b -> problem.size(b) > 0)
                .boxed()
                .toList());
        List<Integer> ends = new ArrayList<>(starts);
        starts.sort(Comparator.comparingLong(problem::from));
        ends.sort(Comparator.comparingLong(problem::to));
        NavigableMap<Long, Integer> taken = new TreeMap<>();
        int ended = 0;
        for (int buffer : starts) {
            while (problem.to(ends.get(ended)) <= problem.from(buffer)) {
                int gone = ends.get(ended++);
                taken.remove(solution.offset(gone), gone);
            }
            long begin = solution.offset(buffer);
            Map.Entry<Long, Integer> other = taken.lowerEntry(begin + problem.size(buffer));
            while (other != null && other.getKey() + problem.size(other.getValue()) > begin) {
                found.add("buffer '" + problem.id(buffer) + "' at offset " + begin + " with " + problem.size(buffer)
                        + " bytes overlaps buffer '" + problem.id(other.getValue()) + "' at " + other.getKey()
                        + " with " + problem.size(other.getValue()) + " bytes, and both are live at "
                        + problem.from(buffer));
                taken.remove(other.getKey());
                other = taken.lowerEntry(begin + problem.size(buffer));
            }
            taken.put(begin, buffer);
        }
    }
}
