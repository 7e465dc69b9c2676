package dev.stowage.graph.wiring;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;

/**
 * Gives a graph other tensors, and keeps its wiring and marks: for a structurally identical graph that was built again,
 * as a language model does for every token.
 */
public final class TensorSubstitution {

    private static final int[] NO_IDS = {};

    private TensorSubstitution() {}

    /**
     * The graph with {@code replacements[id]} in place of {@code graph.tensor(id)}. Only views are checked.
     *
     * @throws InvalidGraphException if there are more or fewer tensors, or one is a view of another than in the graph
     */
    public static Graph of(Graph graph, Tensor... replacements) {
        GraphArrays arrays = GraphArrays.of(graph);
        if (replacements.length != graph.size()) {
            throw new InvalidGraphException(
                    replacements.length + " tensors cannot take the place of the " + graph.size() + " of this graph");
        }
        Tensor[] own = replacements.clone();
        for (int id = 0; id < own.length; id++) {
            if (!isAlike(own, id, graph.viewSource(id))) {
                throw new InvalidGraphException(own[id].describe() + " cannot take the place of "
                        + graph.tensor(id).describe() + ": one is a view of another tensor than the other");
            }
        }
        return new GraphArrays(
                        own,
                        arrays.nodeCount(),
                        arrays.leafCount(),
                        arrays.sourceStart(),
                        arrays.sources(),
                        arrays.viewSources(),
                        arrays.marks(),
                        null,
                        NO_IDS)
                .toGraph();
    }

    @SuppressWarnings("ReferenceEquality") // a view shares the bytes of one particular tensor
    private static boolean isAlike(Tensor[] own, int id, int viewSource) {
        return viewSource == Graph.NO_ID
                ? !own[id].isView()
                : own[id].isView() && own[id].viewSource() == own[viewSource];
    }
}
