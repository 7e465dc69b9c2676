package dev.stowage.device.fusion;

import dev.stowage.graph.Graph;
import java.util.List;

/**
 * Walks the nodes of a graph in order and finds the ones that a backend can fuse. Each match of one of the backend's
 * patterns is offered to it; a match that it refuses is offered as the next pattern or as single nodes.
 *
 * @param <P> the backend's kind of pattern, which may carry its kernel
 */
public final class FusionMatcher<P extends FusionPattern> {

    private final List<P> patterns;

    /** For the patterns that a backend runs, in the order in which they are tried at a node. */
    public FusionMatcher(List<? extends P> patterns) {
        this.patterns = List.copyOf(patterns);
    }

    /**
     * Receives the nodes; every node once, in the order of the graph.
     *
     * @param <P> the backend's kind of pattern
     */
    public interface Visitor<P extends FusionPattern> {

        /**
         * Nodes that a pattern covers.
         *
         * @return whether the backend computes them as one; if not, they come again in another way
         */
        boolean fuse(P pattern, int first, int count);

        /** A node that is computed by itself. */
        void single(int node);
    }

    /** Visits every node of a graph. */
    public void walk(Graph graph, Visitor<P> visitor) {
        if (patterns.isEmpty()) {
            for (int node = 0; node < graph.nodeCount(); node++) {
                visitor.single(node);
            }
            return;
        }
        ResultUses uses = ResultUses.of(graph);
        int node = 0;
        while (node < graph.nodeCount()) {
            int fused = fuse(uses, node, visitor);
            if (fused == 0) {
                visitor.single(node);
            }
            node += Math.max(1, fused);
        }
    }

    private int fuse(ResultUses uses, int node, Visitor<P> visitor) {
        for (P pattern : patterns) {
            int count = pattern.length(uses, node);
            if (count > 0 && visitor.fuse(pattern, node, count)) {
                return count;
            }
        }
        return 0;
    }
}
