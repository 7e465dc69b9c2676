package dev.stowage.device;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
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
        boolean visit(int node, Tensor first, Tensor second);
    }

    private BackendComparison() {}

    /**
     * Computes every node on both backends, one after the other, and shows the chosen ones. The nodes of the graph must
     * lie in memory of the first backend, its leaves must hold their values.
     *
     * @return the number of nodes computed: all, or fewer where the visitor stopped
     */
    public static int compare(Backend first, Backend second, Graph graph, IntPredicate chosen, Visitor visitor) {
        try (GraphCopy copy = GraphCopy.of(graph, second.device().bufferType())) {
            for (int node = 0; node < graph.nodeCount(); node++) {
                first.compute(graph.slice(node, node + 1));
                second.compute(copy.graph().slice(node, node + 1));
                if (chosen.test(node)
                        && !visitor.visit(node, graph.node(node), copy.graph().node(node))) {
                    return node + 1;
                }
            }
            return graph.nodeCount();
        }
    }

    /** As the other method, for all nodes. */
    public static int compare(Backend first, Backend second, Graph graph, Visitor visitor) {
        return compare(first, second, graph, node -> true, visitor);
    }
}
