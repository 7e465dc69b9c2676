package dev.stowage.rpc.server;

import dev.stowage.error.InvalidTensorException;
import dev.stowage.error.MalformedDataException;
import dev.stowage.graph.Graph;
import dev.stowage.plan.BoundGraph;
import dev.stowage.rpc.wire.Dialect;
import dev.stowage.rpc.wire.GraphMessage;
import dev.stowage.rpc.wire.NodeReader;
import dev.stowage.rpc.wire.WireTensor;
import dev.stowage.tensor.Layout;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes a graph from a message. Every node is checked as if it were built here; every tensor must be within its buffer,
 * every view within its source; ids may refer to each other in any order but not in a circle.
 */
final class GraphReader {

    /** Weights that a graph may read elsewhere than where the client has written them. */
    interface Weights {

        /** A node of the graph is stored in that buffer. */
        void computesInto(ClientBuffers.Held held);

        /** A copy of a leaf that is better as a factor of a product, or null. */
        @Nullable
        Tensor copyOf(ClientBuffers.Held held, Tensor original);

        /** Whether the device of the graph computes a node that reads a copy. */
        boolean supports(Tensor node);
    }

    private final GraphMessage message;
    private final ClientBuffers buffers;
    private final Dialect dialect;
    private final Weights weights;
    private final Map<Long, Integer> indices = new HashMap<>();
    private final @Nullable Tensor[] made;
    private final boolean[] begun;
    private final int[] uses;

    private GraphReader(GraphMessage message, ClientBuffers buffers, Dialect dialect, Weights weights) {
        this.message = message;
        this.buffers = buffers;
        this.dialect = dialect;
        this.weights = weights;
        this.made = new Tensor[message.tensorCount()];
        this.begun = new boolean[made.length];
        this.uses = new int[made.length];
    }

    /**
     * The graph of a message, stored where the message says.
     *
     * @throws dev.stowage.error.StowageException if there is no such graph
     */
    static BoundGraph read(GraphMessage message, ClientBuffers buffers, Dialect dialect, Weights weights) {
        return new GraphReader(message, buffers, dialect, weights).read();
    }

    private BoundGraph read() {
        for (int i = 0; i < made.length; i++) {
            long id = message.tensor(i).id();
            if (id == 0 || indices.put(id, i) != null) {
                throw new MalformedDataException("tensor " + i + " has the id " + id + ", which is 0 or taken");
            }
        }
        noteResults();
        for (int i = 0; i < made.length; i++) {
            make(i);
        }
        List<Tensor> nodes = nodes();
        return BoundGraph.of(Graph.listed(nodes, List.of()));
    }

    /** Says which buffers are computed into, before the first copy is asked for. */
    private void noteResults() {
        for (int i = 0; i < message.nodeCount(); i++) {
            WireTensor wire = message.tensor(index(message.node(i)));
            Op op = dialect.op(wire.op());
            if (op != null && op != Op.NONE && !op.isViewOp() && wire.buffer() != 0) {
                weights.computesInto(buffers.get(wire.buffer()));
            }
        }
    }

    /** The nodes that are to be computed; those that may not be left out, because somebody reads them, are outputs. */
    private List<Tensor> nodes() {
        int[] listed = new int[message.nodeCount()];
        for (int i = 0; i < listed.length; i++) {
            listed[i] = index(message.node(i));
            WireTensor wire = message.tensor(listed[i]);
            for (int slot = 0; slot < WireTensor.SOURCES; slot++) {
                if (wire.src(slot) != 0) {
                    uses[index(wire.src(slot))]++;
                }
            }
        }
        List<Tensor> nodes = new ArrayList<>(listed.length);
        for (int index : listed) {
            WireTensor wire = message.tensor(index);
            Tensor tensor = tensor(index);
            if (tensor.op() == Op.NONE || (wire.flags() & WireTensor.COMPUTE) == 0) {
                continue;
            }
            if ((wire.flags() & WireTensor.OUTPUT) != 0 || !dialect.countsUses() || wire.useCount() != uses[index]) {
                tensor.asOutput();
            }
            nodes.add(tensor);
        }
        return nodes;
    }

    private int index(long id) {
        Integer index = indices.get(id);
        if (index == null) {
            throw new MalformedDataException("a graph refers to a tensor " + id + " that it does not have");
        }
        return index;
    }

    private Tensor tensor(int index) {
        Tensor tensor = made[index];
        if (tensor == null) {
            throw new IllegalStateException("tensor " + index + " has not been made");
        }
        return tensor;
    }

    /** Makes a tensor after all it refers to; not by recursion, which a long chain would exhaust. */
    private void make(int first) {
        Deque<Integer> waiting = new ArrayDeque<>();
        waiting.push(first);
        while (!waiting.isEmpty()) {
            int index = waiting.peek();
            if (made[index] != null) {
                waiting.pop();
            } else if (begun[index]) {
                made[index] = build(index);
                waiting.pop();
            } else {
                begun[index] = true;
                WireTensor wire = message.tensor(index);
                for (int slot = 0; slot < WireTensor.SOURCES; slot++) {
                    if (wire.src(slot) != wire.id()) {
                        await(wire.src(slot), waiting);
                    }
                }
                await(wire.viewSrc(), waiting);
            }
        }
    }

    private void await(long id, Deque<Integer> waiting) {
        if (id != 0 && made[index(id)] == null) {
            if (begun[index(id)]) {
                throw new MalformedDataException("tensors of a graph refer to each other in a circle");
            }
            waiting.push(index(id));
        }
    }

    private Tensor build(int index) {
        WireTensor wire = message.tensor(index);
        Op op = dialect.op(wire.op());
        if (op == null) {
            throw new MalformedDataException("there is no op " + wire.op() + " in version " + dialect);
        }
        Layout layout = ClientBuffers.layout(wire);
        Tensor source = wire.viewSrc() == 0 ? null : tensor(index(wire.viewSrc()));
        boolean itself = false;
        @Nullable Tensor[] sources = new Tensor[WireTensor.SOURCES];
        for (int slot = 0; slot < sources.length; slot++) {
            itself |= wire.src(slot) == wire.id();
            sources[slot] = wire.src(slot) == 0 || wire.src(slot) == wire.id() ? null : tensor(index(wire.src(slot)));
        }
        if (itself && op != Op.CPY) {
            throw new MalformedDataException(op + " reads itself");
        }
        try {
            Tensor tensor = read(op, layout, wire, sources, source).named(wire.name());
            place(tensor, source, wire);
            return tensor;
        } catch (ArithmeticException e) {
            throw new InvalidTensorException(
                    op + " '" + wire.name() + "' has a size that does not fit: " + e.getMessage());
        }
    }

    /** Makes a tensor; the first factor of a product may be read elsewhere. */
    private Tensor read(
            Op op, Layout layout, WireTensor wire, @Nullable Tensor[] sources, @Nullable Tensor viewSource) {
        Tensor first = sources[0];
        if ((op == Op.MUL_MAT || op == Op.MUL_MAT_ID) && first != null && first.isLeaf() && first.isPlaced()) {
            ClientBuffers.Held held =
                    buffers.get(message.tensor(index(wire.src(0))).buffer());
            Tensor copy = weights.copyOf(held, first);
            if (copy != null) {
                @Nullable Tensor[] others = sources.clone();
                others[0] = copy;
                Tensor tensor = NodeReader.read(op, layout, wire, others, viewSource);
                if (weights.supports(tensor)) {
                    return tensor;
                }
            }
        }
        return NodeReader.read(op, layout, wire, sources, viewSource);
    }

    /** Gives a tensor its place; a view must be where its source is. */
    private void place(Tensor tensor, @Nullable Tensor source, WireTensor wire) {
        if (source == null) {
            if (wire.buffer() != 0) {
                ClientBuffers.Held held = buffers.get(wire.buffer());
                requireDense(tensor, held);
                held.buffer().place(tensor, held.offset(wire.data()));
            }
        } else if (source.isPlaced()) {
            ClientBuffers.Held held = buffers.get(wire.buffer());
            requireDense(tensor, held);
            if (held.offset(wire.data()) != tensor.storageOffset() || !held.holds(source)) {
                throw new MalformedDataException(tensor.describe() + " is not where its source is");
            }
        }
    }

    /**
     * Strides of zero let a few bytes stand for any number of elements, and kernels take scratch memory for all of them: no
     * tensor may have more elements than its buffer has room for.
     */
    private static void requireDense(Tensor tensor, ClientBuffers.Held held) {
        long bytes = Layout.contiguous(tensor.type(), tensor.shape()).byteSize();
        if (bytes > held.buffer().size()) {
            throw new MalformedDataException(tensor.describe() + " has " + bytes + " bytes of elements in a buffer of "
                    + held.buffer().size());
        }
    }
}
