package dev.stowage.plan;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferGroup;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Checks on the places of a {@link BoundGraph} before anything runs. The arrays are by tensor id. */
final class BoundGraphChecks {

    private BoundGraphChecks() {}

    /** Throws if an op would write into a buffer that is read-only. */
    static void requireWritableResults(Graph graph, @Nullable Buffer[] buffers, BufferGroup distinct) {
        boolean anyReadOnly = distinct.isAnyReadOnly();
        for (int node = 0; anyReadOnly && node < graph.nodeCount(); node++) {
            Buffer buffer = buffers[node];
            if (buffer != null && graph.isComputed(node) && !graph.isViewOp(node) && buffer.isReadOnly()) {
                throw new AccessException(graph.tensor(node).describe() + " would be written to the buffer " + buffer
                        + ", which is read-only: give it, or the tensor it is a view of, other memory");
            }
        }
    }

    /** The failure of a graph that is bound to a closed buffer, naming a tensor that has memory of its own there. */
    @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory, whatever else they have in common
    static ClosedException closed(Graph graph, @Nullable Buffer[] buffers, Buffer buffer) {
        for (int id = 0; id < buffers.length; id++) {
            Tensor tensor = graph.tensor(id);
            if (buffers[id] == buffer && tensor.isPlaced()) {
                return PlanMatch.closed(tensor, buffer);
            }
        }
        return new ClosedException("the buffer " + buffer
                + " that the graph is bound to is closed: its owner was closed, or has taken other memory for a larger"
                + " graph; bind the graph again");
    }
}
