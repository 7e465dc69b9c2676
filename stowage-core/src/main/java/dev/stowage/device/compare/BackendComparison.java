package dev.stowage.device.compare;

import dev.stowage.device.Backend;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.plan.BoundGraph;
import java.util.function.IntPredicate;

/**
 * Runs one graph on two backends and shows the caller both results, node by node, to find the first op on which they
 * disagree. The second backend works on a {@link GraphCopy}.
 */
public final class BackendComparison {

    /** Looks at what the two backends made of a node. */
    @FunctionalInterface
    public interface Visitor {

        /**
         * Called when both have computed a node, with their results.
         *
         * @return whether to go on
         */
        boolean visit(int node, BoundTensor first, BoundTensor second);
    }

    private BackendComparison() {}

    /**
     * Computes every node on both backends, one after the other, and shows the chosen ones. The nodes of the graph must
     * be stored in memory of the first backend, its leaves must hold their values.
     *
     * @return the number of nodes computed: all, or fewer where the visitor stopped
     */
    public static int compare(Backend first, Backend second, BoundGraph bound, IntPredicate chosen, Visitor visitor) {
        Graph graph = bound.graph();
        try (GraphCopy copy = GraphCopy.of(bound, second.device().bufferType())) {
            BoundGraph other = copy.bound();
            for (int node = 0; node < graph.nodeCount(); node++) {
                first.compute(bound.part(graph.slice(node, node + 1)));
                second.compute(other.part(copy.graph().slice(node, node + 1)));
                if (chosen.test(node) && !visitor.visit(node, bound.tensor(node), other.tensor(node))) {
                    return node + 1;
                }
            }
            return graph.nodeCount();
        }
    }

    /** As the other method, for all nodes. */
    public static int compare(Backend first, Backend second, BoundGraph bound, Visitor visitor) {
        return compare(first, second, bound, node -> true, visitor);
    }

    /** As the other method, for a graph in which every tensor has memory of its own. */
    public static int compare(Backend first, Backend second, Graph graph, Visitor visitor) {
        return compare(first, second, BoundGraph.of(graph), visitor);
    }
}
