package dev.stowage.packing.search;

import dev.stowage.packing.Problem;
import java.util.HashMap;
import java.util.Map;

/**
 * Buffers that are alike in everything. Swapping two of them changes nothing, so a search that always places the one of
 * lower index first loses no solution and skips all the swapped copies.
 */
final class IdenticalBuffers {

    private record Kind(int first, int end, long size, long alignment) {}

    private IdenticalBuffers() {}

    /** For every buffer the last one before it that is alike, or -1. Fixed buffers are like no other. */
    static int[] of(SearchModel model, Problem problem) {
        int[] twin = new int[model.count];
        Map<Kind, Integer> last = new HashMap<>();
        for (int buffer = 0; buffer < model.count; buffer++) {
            twin[buffer] = -1;
            if (model.fixed[buffer] < 0 && model.size[buffer] > 0) {
                // In units two sizes can look alike that are not: only in bytes it shows which fits under a capacity.
                Kind kind =
                        new Kind(model.first[buffer], model.end[buffer], problem.size(buffer), model.alignment[buffer]);
                Integer before = last.put(kind, buffer);
                twin[buffer] = before == null ? -1 : before;
            }
        }
        return twin;
    }
}
