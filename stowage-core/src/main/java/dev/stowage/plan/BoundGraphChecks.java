package dev.stowage.plan;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Checks on the places of a {@link BoundGraph} before anything runs. The arrays are by tensor id. */
final class BoundGraphChecks {

    private BoundGraphChecks() {}

    /** Every buffer once, in the order they are met. */
    @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory, whatever else they have in common
    static Buffer[] distinct(@Nullable Buffer[] buffers) {
        Buffer[] found = new Buffer[4];
        int count = 0;
        Buffer last = null;
        for (Buffer buffer : buffers) {
            if (buffer == null || buffer == last) {
                continue;
            }
            last = buffer;
            int known = 0;
            while (known < count && found[known] != buffer) {
                known++;
            }
            if (known == count) {
                found = count == found.length ? Arrays.copyOf(found, 2 * count) : found;
                found[count++] = buffer;
            }
        }
        return Arrays.copyOf(found, count);
    }

    /** Throws if an op would write into a buffer that is read-only. */
    static void requireWritableResults(Graph graph, @Nullable Buffer[] buffers, Buffer[] distinct) {
        boolean anyReadOnly = false;
        for (Buffer buffer : distinct) {
            anyReadOnly |= buffer.isReadOnly();
        }
        for (int node = 0; anyReadOnly && node < graph.nodeCount(); node++) {
            Buffer buffer = buffers[node];
            if (buffer != null && graph.isComputed(node) && !graph.isViewOp(node) && buffer.isReadOnly()) {
                throw new AccessException(graph.tensor(node).describe() + " would be written to the buffer " + buffer
                        + ", which is read-only: give it, or the tensor it is a view of, other memory");
            }
        }
    }

    /** Throws if a buffer is closed, naming a tensor that has memory of its own there. */
    @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory, whatever else they have in common
    static void requireOpen(Graph graph, @Nullable Buffer[] buffers, Buffer buffer) {
        if (!buffer.isClosed()) {
            return;
        }
        for (int id = 0; id < buffers.length; id++) {
            Tensor tensor = graph.tensor(id);
            if (buffers[id] == buffer && tensor.isPlaced()) {
                PlanMatch.requireOpen(tensor);
            }
        }
        throw new ClosedException("the buffer " + buffer
                + " that the graph is bound to is closed: its owner was closed, or has taken other memory for a larger"
                + " graph; bind the graph again");
    }

    /** Throws if a tensor would reach beyond its buffer. */
    static void requireFit(Tensor tensor, @Nullable Buffer buffer, long offset) {
        if (buffer != null && (offset < 0 || offset > buffer.size() - tensor.byteSize())) {
            throw new AccessException(tensor.describe() + " of " + tensor.byteSize() + " bytes does not fit at offset "
                    + offset + " of the buffer " + buffer);
        }
    }
}
