package dev.stowage.picture;

import dev.stowage.graph.Graph;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.MemoryPlan;
import java.util.Arrays;

/**
 * The live ranges in a plan's picture, in slots: slot 0 is before the first node, slot {@code i + 1} is node {@code i},
 * and the last slot is after the last node. A tensor that is overwritten ends where the result starts; a view is shown
 * from its node to its last reader.
 */
final class PlanPictureTimes {

    private final MemoryPlan plan;
    private final Graph graph;
    private final Liveness liveness;
    private final int[] lastReader;

    PlanPictureTimes(MemoryPlan plan) {
        this.plan = plan;
        this.graph = plan.graph();
        this.liveness = plan.analysis().liveness();
        this.lastReader = lastReader(graph);
    }

    /** The last node that reads each tensor itself, not counting what reads it through a view. */
    private static int[] lastReader(Graph graph) {
        int[] last = new int[graph.size()];
        Arrays.fill(last, Liveness.BEFORE);
        for (int node = 0; node < graph.nodeCount(); node++) {
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                if (graph.sourceAt(slot) != Graph.NO_ID) {
                    last[graph.sourceAt(slot)] = node;
                }
            }
        }
        return last;
    }

    int slots() {
        return graph.nodeCount() + 2;
    }

    /** The node that writes a tensor, or {@link Liveness#BEFORE}. */
    int from(int id) {
        return liveness.from(id);
    }

    /** The last node that needs a tensor; of a view only what reads it itself counts. */
    int to(int id) {
        return graph.viewSource(id) == Graph.NO_ID ? liveness.to(id) : Math.max(liveness.from(id), lastReader[id]);
    }

    /** The first slot in which a tensor is seen. */
    int start(int id) {
        return from(id) + 1;
    }

    /** The slot after the last in which a tensor is seen; a view never outlives its source's rectangle. */
    int end(int id) {
        int source = graph.viewSource(id);
        if (source != Graph.NO_ID) {
            return plan.isPlanned(source) ? Math.min(to(id) + 2, end(source)) : Math.min(to(id) + 2, slots());
        }
        int last = plan.isPlanned(id) ? plan.analysis().lastCounted(id) : liveness.to(id);
        return Math.min(last + 2, slots());
    }
}
