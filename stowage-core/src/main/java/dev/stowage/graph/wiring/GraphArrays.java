package dev.stowage.graph.wiring;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The arrays that a graph consists of, by tensor id, for classes that make one graph from another in bulk. A graph and
 * its arrays share them, so they are never written once the graph exists.
 *
 * @param tensors nodes, leaves and externals
 * @param nodeCount how many nodes there are
 * @param leafCount how many leaves there are
 * @param sourceStart by node and leaf its first source slot, and at the end the number of slots
 * @param sources by source slot the id of the source, or {@link Graph#NO_ID}
 * @param viewSources the id of the tensor whose bytes are shared, or {@link Graph#NO_ID}
 * @param marks see {@link GraphMarks}
 * @param origin the graph that this one was made from, whose names it has, or null
 * @param originIds by id the id there; larger ids are of tensors that were added
 */
@SuppressWarnings("ArrayRecordComponent") // hot paths read them, and they are never compared
public record GraphArrays(
        Tensor[] tensors,
        int nodeCount,
        int leafCount,
        int[] sourceStart,
        int[] sources,
        int[] viewSources,
        byte[] marks,
        @Nullable Graph origin,
        int[] originIds) {

    private static volatile @Nullable Access access;

    /** What {@link Graph} lets this package do; as the JDK's {@code SharedSecrets}. */
    public interface Access {

        /** The arrays of a graph. */
        GraphArrays arraysOf(Graph graph);

        /** A graph over these arrays, which are not checked. */
        Graph graphOver(GraphArrays arrays);
    }

    /** Called by {@link Graph} when it is initialised, and by nobody else. */
    public static void grant(Access granted) {
        access = granted;
    }

    static GraphArrays of(Graph graph) {
        return Objects.requireNonNull(access).arraysOf(graph);
    }

    Graph toGraph() {
        return Objects.requireNonNull(access).graphOver(this);
    }
}
