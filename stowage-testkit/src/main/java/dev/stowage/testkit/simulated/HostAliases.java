package dev.stowage.testkit.simulated;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.HostBuffer;
import dev.stowage.plan.BoundGraph;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes aliases of the tensors of a bound graph: tensors of the same layout over the same bytes, but in memory of the
 * host, where the kernels of the reference can work. They are made when a graph is submitted. Buffers that are closed
 * before it has run keep their bytes until then, and so do the aliases, whose buffers are used by no other object.
 */
final class HostAliases {

    private final SimulatedDevice device;
    private final BoundGraph bound;
    private final Graph graph;
    private final @Nullable Tensor[] aliases;
    private final Map<Buffer, Buffer> hostBuffers = new HashMap<>();
    private final List<Buffer> opened = new ArrayList<>();

    HostAliases(SimulatedDevice device, BoundGraph bound) {
        this.device = device;
        this.bound = bound;
        this.graph = bound.graph();
        this.aliases = new Tensor[graph.size()];
    }

    /** A graph that computes that node alone, from the aliases of its operands. */
    BoundGraph ofNode(int node) {
        Tensor original = graph.node(node);
        Tensor.Builder alias = Tensor.builder(original.layout()).op(original.op(), original.parameters());
        for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
            int source = graph.sourceAt(slot);
            if (source != Graph.NO_ID) {
                alias.sourceAt(slot - graph.firstSlot(node), alias(node, source));
            }
        }
        Tensor result = finished(node, node, alias);
        return BoundGraph.of(Graph.listed(List.of(result), List.of()));
    }

    private Tensor alias(int node, int id) {
        @Nullable Tensor known = aliases[id];
        return known != null
                ? known
                : finished(node, id, Tensor.builder(graph.tensor(id).layout()));
    }

    private Tensor finished(int node, int id, Tensor.Builder alias) {
        Tensor original = graph.tensor(id);
        alias.name(graph.label(id));
        if (graph.viewSource(id) != Graph.NO_ID) {
            alias.viewOf(alias(node, graph.viewSource(id)), original.viewOffset());
        }
        Tensor made = alias.build();
        if (!made.isView()) {
            hostBuffer(node, id).place(made, bound.offset(id));
        }
        aliases[id] = made;
        return made;
    }

    private Buffer hostBuffer(int node, int id) {
        Buffer buffer = bound.buffer(id);
        Buffer known = hostBuffers.get(buffer);
        if (known == null) {
            known = hostBuffer(buffer, node, id);
            hostBuffers.put(buffer, known);
        }
        return known;
    }

    private Buffer hostBuffer(Buffer buffer, int node, int id) {
        if (buffer instanceof SimulatedBuffer simulated) {
            return simulated.hidden();
        }
        if (!buffer.hasSegment()) {
            throw device.calls()
                    .compute(graph.node(node))
                    .failure("it can reach no bytes of " + graph.tensor(id).describe() + ", which is stored in "
                            + buffer);
        }
        Buffer over = HostBuffer.over(buffer.segment(), 1);
        opened.add(over);
        return over;
    }

    /** Buffers over memory of the host that were made for the aliases, to be closed when the nodes have run. */
    List<Buffer> opened() {
        return opened;
    }
}
