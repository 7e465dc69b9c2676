package dev.stowage.testkit.simulated;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes twins of the tensors of a graph that lie over the same bytes, but as memory of the host, where the kernels of
 * the reference can work. They are made when a graph is handed in, and so keep the places that its tensors have then,
 * whatever the caller does with the tensors later.
 */
final class Shadows {

    private final SimulatedDevice device;
    private final Graph graph;
    private final @Nullable Tensor[] shadows;

    Shadows(SimulatedDevice device, Graph graph) {
        this.device = device;
        this.graph = graph;
        this.shadows = new Tensor[graph.size()];
    }

    /** A graph that computes that node alone, from the twins of its operands. */
    Graph ofNode(int node) {
        Tensor original = graph.node(node);
        Tensor.Builder twin = Tensor.builder(original.layout()).op(original.op(), original.parameters());
        for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID) {
                twin.sourceAt(slot - graph.firstSlot(node), shadow(node, source));
            }
        }
        return Graph.listed(List.of(finished(node, node, twin)), List.of());
    }

    private Tensor shadow(int node, int id) {
        @Nullable Tensor known = shadows[id];
        return known != null
                ? known
                : finished(node, id, Tensor.builder(graph.tensor(id).layout()));
    }

    private Tensor finished(int node, int id, Tensor.Builder twin) {
        Tensor original = graph.tensor(id);
        twin.name(graph.label(id));
        if (graph.viewSource(id) != Graph.NO_ID) {
            twin.viewOf(shadow(node, graph.viewSource(id)), original.viewOffset());
        }
        Tensor made = twin.build();
        if (!made.isView()) {
            made.moveTo(HiddenBytes.hostBuffer(device, graph.node(node), original), original.storageOffset());
        }
        shadows[id] = made;
        return made;
    }
}
