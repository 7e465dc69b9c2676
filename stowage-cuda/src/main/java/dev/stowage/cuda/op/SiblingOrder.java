package dev.stowage.cuda.op;

import dev.stowage.cuda.op.unit.UnitProduct;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;

/**
 * An order of nodes in which products of the same few vectors follow each other, so that memory is planned for their
 * being computed by one launch: query, key and value of a token.
 */
public final class SiblingOrder {

    private static final int WINDOW = 24;

    private SiblingOrder() {}

    /** The graph in that order; the graph itself where nothing moves. */
    public static Graph of(Graph graph) {
        int count = graph.nodeCount();
        boolean[] placed = new boolean[count];
        int[] order = new int[count];
        int next = 0;
        boolean isMoved = false;
        for (int node = 0; node < count; node++) {
            if (placed[node]) {
                continue;
            }
            order[next++] = node;
            placed[node] = true;
            int vectors = vectors(graph, node);
            for (int other = node + 1; vectors != Graph.NO_ID && other < Math.min(count, node + WINDOW); other++) {
                if (!placed[other] && vectors(graph, other) == vectors && isLeaf(graph, other)) {
                    isMoved |= other != node + 1;
                    order[next++] = other;
                    placed[other] = true;
                }
            }
        }
        return isMoved ? graph.inOrder(order) : graph;
    }

    /** What a product of a few vectors reads in its second slot; {@link Graph#NO_ID} for all else. */
    private static int vectors(Graph graph, int node) {
        if (graph.op(node) != Op.MUL_MAT) {
            return Graph.NO_ID;
        }
        int vectors = graph.sourceAt(graph.firstSlot(node) + 1);
        Tensor tensor = graph.tensor(vectors);
        return tensor.shape().rows() <= UnitProduct.MAX_TOKENS ? vectors : Graph.NO_ID;
    }

    /** Whether the matrix of a product is there from the beginning. */
    private static boolean isLeaf(Graph graph, int node) {
        return !graph.isNode(graph.sourceAt(graph.firstSlot(node)));
    }
}
