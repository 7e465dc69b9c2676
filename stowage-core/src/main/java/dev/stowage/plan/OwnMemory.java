package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Which tensors of a bound graph had memory of their own when it was bound, and where, so that binding the same graph
 * again notices a tensor that was given memory since. Views are left out: they are stored where their source is.
 */
final class OwnMemory {

    private final Tensor[] without;
    private final Tensor[] with;
    private final Buffer[] buffers;

    OwnMemory(BoundGraph bound) {
        Graph graph = bound.graph();
        List<Tensor> planned = new ArrayList<>();
        List<Tensor> placed = new ArrayList<>();
        List<Buffer> places = new ArrayList<>();
        for (int id = 0; id < graph.size(); id++) {
            if (graph.viewSource(id) != Graph.NO_ID) {
                continue;
            }
            if (bound.isPlanned(id) || !bound.hasMemory(id)) {
                planned.add(graph.tensor(id));
            } else {
                placed.add(graph.tensor(id));
                places.add(bound.buffer(id));
            }
        }
        this.without = planned.toArray(Tensor[]::new);
        this.with = placed.toArray(Tensor[]::new);
        this.buffers = places.toArray(Buffer[]::new);
    }

    /** Whether the same tensors have the same memory of their own now. */
    @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory, whatever else they have in common
    boolean isUnchanged() {
        for (Tensor tensor : without) {
            if (tensor.isPlaced()) {
                return false;
            }
        }
        for (int i = 0; i < with.length; i++) {
            if (!with[i].isPlaced() || Buffer.of(with[i]) != buffers[i]) {
                return false;
            }
        }
        return true;
    }
}
