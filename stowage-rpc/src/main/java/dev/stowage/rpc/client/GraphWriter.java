package dev.stowage.rpc.client;

import dev.stowage.device.OpSupport;
import dev.stowage.error.DeviceException;
import dev.stowage.error.InvalidGraphException;
import dev.stowage.graph.Graph;
import dev.stowage.plan.BoundGraph;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.rpc.wire.NodeReader;
import dev.stowage.rpc.wire.OpWords;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Writes a bound graph as the payload of a message: its nodes in order, and all tensors that they reach, each after those
 * it refers to. Ids are those of the graph plus 1, since 0 stands for none.
 */
final class GraphWriter {

    private final RpcDevice device;
    private final BoundGraph bound;
    private final Graph graph;
    private final Dialect dialect;
    private final ByteBuffer out;
    private final int[] uses;

    private GraphWriter(RpcDevice device, BoundGraph bound, Dialect dialect) {
        this.device = device;
        this.bound = bound;
        this.graph = bound.graph();
        this.dialect = dialect;
        long bytes = GraphMessage.bytes(graph.nodeCount(), graph.size());
        if (bytes > Integer.MAX_VALUE) {
            throw new InvalidGraphException("a graph of " + graph.size() + " tensors is too large for one message");
        }
        this.out = ByteBuffer.allocateDirect((int) bytes).order(ByteOrder.LITTLE_ENDIAN);
        this.uses = new int[graph.size()];
    }

    /**
     * The payload, ready to be sent.
     *
     * @throws DeviceException if a node is not one that every server computes
     */
    static ByteBuffer write(BoundGraph bound, RpcDevice device, Dialect dialect) {
        return new GraphWriter(device, bound, dialect).write(device.number());
    }

    private ByteBuffer write(int number) {
        out.putInt(number).putInt(graph.nodeCount());
        for (int node = 0; node < graph.nodeCount(); node++) {
            out.putLong(node + 1L);
            for (int slot = graph.firstSlot(node); slot < graph.endSlot(node); slot++) {
                if (graph.sourceAt(slot) != Graph.NO_ID) {
                    uses[graph.sourceAt(slot)]++;
                }
            }
        }
        out.putInt(graph.size());
        for (int id = graph.nodeCount(); id < graph.size(); id++) {
            if (graph.viewSource(id) == Graph.NO_ID) {
                write(id, TensorWriter.add(out));
            }
        }
        for (int id = graph.nodeCount(); id < graph.size(); id++) {
            if (graph.viewSource(id) != Graph.NO_ID) {
                write(id, TensorWriter.add(out));
            }
        }
        for (int id = 0; id < graph.nodeCount(); id++) {
            write(id, TensorWriter.add(out));
        }
        return out.flip();
    }

    private void write(int id, WireTensor wire) {
        Tensor tensor = graph.tensor(id);
        wire.id(id + 1L);
        wire.name(graph.label(id));
        TensorWriter.layout(wire, tensor.layout());
        if (bound.hasMemory(id)) {
            TensorWriter.place(wire, bound.buffer(id), bound.offset(id));
        }
        if (graph.viewSource(id) != Graph.NO_ID) {
            wire.viewSrc(graph.viewSource(id) + 1L);
            wire.viewOffset(tensor.viewOffset());
        }
        int flags = (graph.isInput(id) ? WireTensor.INPUT : 0) | (isKept(id) ? WireTensor.OUTPUT : 0);
        if (graph.isNode(id)) {
            node(id, tensor, wire);
            flags |= WireTensor.COMPUTE;
        }
        wire.flags(flags);
        // One more than there are keeps a server from leaving out a result that is read later.
        wire.useCount(dialect.countsUses() ? uses[id] + (isKept(id) ? 1 : 0) : 0);
    }

    private boolean isKept(int id) {
        return graph.isOutput(id) || graph.isReadLater(id);
    }

    private void node(int id, Tensor tensor, WireTensor wire) {
        OpSupport support = device.supports(tensor);
        if (!support.isSupported()) {
            throw DeviceException.of(device.name(), "compute", tensor.describe(), support.reason());
        }
        wire.op(dialect.number(tensor.op()));
        int[] words = OpWords.of(tensor);
        NodeReader.require(tensor, words);
        for (int word = 0; word < words.length; word++) {
            wire.parameter(word, words[word]);
        }
        int first = graph.firstSlot(id);
        for (int slot = 0; slot < Math.min(WireTensor.SOURCES, graph.endSlot(id) - first); slot++) {
            int source = graph.sourceAt(first + slot);
            if (source != Graph.NO_ID) {
                wire.src(slot, source + 1L);
            }
        }
    }
}
