package dev.stowage.packing.search;

import dev.stowage.packing.Problem;
import java.util.HashMap;
import java.util.Map;

/**
 * Symmetry breaking for buffers with equal lifetime, size and alignment: swapping two changes nothing, so a search that
 * places the one of lower index first loses no solution.
 */
final class IdenticalBuffers {

    private record Kind(int first, int end, long size, long alignment) {}

    private IdenticalBuffers() {}

    /** For every buffer, its last identical predecessor, or -1. Fixed buffers have none. */
    static int[] of(SearchModel model, Problem problem) {
        int[] identical = new int[model.count];
        Map<Kind, Integer> last = new HashMap<>();
        for (int buffer = 0; buffer < model.count; buffer++) {
            identical[buffer] = -1;
            if (model.fixed[buffer] < 0 && model.size[buffer] > 0) {
                // Sizes that are equal in units can differ in bytes, which decide what fits a capacity.
                Kind kind =
                        new Kind(model.first[buffer], model.end[buffer], problem.size(buffer), model.alignment[buffer]);
                Integer before = last.put(kind, buffer);
                identical[buffer] = before == null ? -1 : before;
            }
        }
        return identical;
    }
}
