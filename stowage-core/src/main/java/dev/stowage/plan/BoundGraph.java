package dev.stowage.plan;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferLeases;
import dev.stowage.tensor.Tensor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A graph with memory: for every tensor the buffer and the offset it is stored at. Backends prepare and compute bound
 * graphs, inputs are written and outputs read through them. Immutable: binding changes neither the graph nor a tensor, so
 * a graph can be bound any number of times, by any number of allocators and threads.
 *
 * {@snippet :
 * BoundGraph bound = allocator.bind(graph);
 * TensorData.setFloats(bound.tensor(x), 1, 2, 3);
 * backend.compute(bound);
 * float[] result = TensorData.getFloats(bound.tensor(y));
 * }
 *
 * <p>Graphs that are bound by one allocator share its memory: running one overwrites what another has left there. A
 * result that is to be kept is read first, or is given memory of its own before the graph is bound, as weights are. The
 * buffers stay with their owners: once one is closed, as an allocator does when it is closed or has to grow, running the
 * graph is refused, and it is to be bound again.
 */
public final class BoundGraph {

    private final Graph graph;
    private final @Nullable Buffer[] buffers;
    private final long[] offsets;
    /** Every buffer once. */
    private final Buffer[] distinct;

    private final @Nullable MemoryPlan plan;

    BoundGraph(Graph graph, @Nullable Buffer[] buffers, long[] offsets, @Nullable MemoryPlan plan) {
        this.graph = graph;
        this.buffers = buffers;
        this.offsets = offsets;
        this.distinct = BoundGraphChecks.distinct(buffers);
        this.plan = plan;
        for (Buffer buffer : distinct) {
            BoundGraphChecks.requireOpen(graph, buffers, buffer);
        }
        BoundGraphChecks.requireWritableResults(graph, buffers, distinct);
    }

    /**
     * A graph in which every tensor has memory of its own.
     *
     * @throws AccessException if one has none, or an op would write into memory that is read-only
     * @throws ClosedException if the buffer of one is closed
     */
    public static BoundGraph of(Graph graph) {
        @Nullable Buffer[] buffers = new Buffer[graph.size()];
        long[] offsets = new long[buffers.length];
        for (int id = 0; id < buffers.length; id++) {
            Tensor tensor = graph.tensor(id);
            buffers[id] = Buffer.of(tensor);
            offsets[id] = tensor.storageOffset();
        }
        return new BoundGraph(graph, buffers, offsets, null);
    }

    public Graph graph() {
        return graph;
    }

    /** The plan that gave the tensors without memory of their own their places, where there is one. */
    public Optional<MemoryPlan> plan() {
        return Optional.ofNullable(plan);
    }

    /** Whether the tensor with that id has memory; only one that nothing in the graph reaches has none. */
    public boolean hasMemory(int id) {
        return buffers[id] != null;
    }

    /**
     * The buffer that the tensor with that id is stored in.
     *
     * @throws AccessException if it has no memory, because nothing in the graph reaches it
     */
    public Buffer buffer(int id) {
        Buffer buffer = buffers[id];
        if (buffer == null) {
            throw new AccessException("'" + graph.label(id) + "' has no memory: nothing in the graph reaches it");
        }
        return buffer;
    }

    /** The offset of the tensor with that id in its buffer. */
    public long offset(int id) {
        return offsets[id];
    }

    /** The tensor with that id, where it is stored. */
    public BoundTensor tensor(int id) {
        return BoundTensor.at(graph.tensor(id), buffer(id), offsets[id]);
    }

    /**
     * A tensor of the graph, where it is stored.
     *
     * @throws dev.stowage.error.InvalidGraphException if it is not in the graph
     */
    public BoundTensor tensor(Tensor tensor) {
        return tensor(graph.idOf(tensor));
    }

    /** How many buffers the tensors are stored in. */
    public int bufferCount() {
        return distinct.length;
    }

    /** One of the buffers that the tensors are stored in, each of which is counted once. */
    public Buffer distinctBuffer(int index) {
        return distinct[index];
    }

    /**
     * Takes a lease on every buffer, so that none gives its memory back while work on this graph is under way.
     *
     * @throws ClosedException if one is closed; the leases may be held in part then
     */
    public void lease(BufferLeases leases) {
        for (Buffer buffer : distinct) {
            BoundGraphChecks.requireOpen(graph, buffers, buffer);
            leases.add(buffer);
        }
    }

    /** The same places for a slice of the graph, or another graph made of its tensors. */
    public BoundGraph part(Graph part) {
        int[] ids = new int[part.size()];
        for (int id = 0; id < ids.length; id++) {
            ids[id] = graph.idOf(part.tensor(id));
        }
        return part(part, ids);
    }

    /**
     * As {@link #part(Graph)}, where it is known that tensor {@code id} of the part is tensor {@code ids[id]} of this graph,
     * or stands for it in a structurally identical one. What has memory of its own is stored there.
     *
     * @throws InvalidPlanException if there are more or fewer ids than tensors
     */
    public BoundGraph part(Graph part, int[] ids) {
        if (ids.length != part.size()) {
            throw new InvalidPlanException(
                    "the part has " + part.size() + " tensors, but " + ids.length + " ids are given");
        }
        @Nullable Buffer[] partBuffers = new Buffer[ids.length];
        long[] partOffsets = new long[ids.length];
        for (int id = 0; id < ids.length; id++) {
            Tensor tensor = part.tensor(id);
            requireId(ids[id]);
            Buffer buffer = buffers[ids[id]];
            long offset = offsets[ids[id]];
            if (!isTensor(ids[id], tensor)) {
                if (plan == null ? tensor.isPlaced() : plan.request().isFixed(ids[id])) {
                    buffer = Buffer.of(tensor);
                    offset = tensor.storageOffset();
                } else if (buffer != null) {
                    initialize(tensor, buffer, offset);
                }
            }
            partBuffers[id] = buffer;
            partOffsets[id] = offset;
        }
        return new BoundGraph(part, partBuffers, partOffsets, null);
    }

    @SuppressWarnings("ReferenceEquality") // a tensor is the same only if it is the same object
    private boolean isTensor(int id, Tensor tensor) {
        return graph.tensor(id) == tensor;
    }

    private static void initialize(Tensor tensor, Buffer buffer, long offset) {
        if (tensor.isView()) {
            buffer.initializeView(BoundTensor.at(tensor, buffer, offset));
        } else {
            buffer.initialize(tensor, offset);
        }
    }

    /**
     * The same graph with some tensors, and the views of them, stored where others are: tensor {@code ids[i]} where tensor
     * {@code at[i]} is.
     *
     * @throws AccessException if a tensor does not fit there
     */
    public BoundGraph movedTo(int[] ids, int[] at) {
        @Nullable Buffer[] newBuffers = buffers.clone();
        long[] newOffsets = offsets.clone();
        for (int i = 0; i < ids.length; i++) {
            requireId(ids[i]);
            requireId(at[i]);
            newBuffers[ids[i]] = buffers[at[i]];
            newOffsets[ids[i]] = offsets[at[i]];
        }
        for (int id = 0; id < newOffsets.length; id++) {
            int source = graph.viewSource(id);
            if (source != Graph.NO_ID) {
                newBuffers[id] = newBuffers[source];
                newOffsets[id] = newOffsets[source] + graph.tensor(id).viewOffset();
            }
            BoundGraphChecks.requireFit(graph.tensor(id), newBuffers[id], newOffsets[id]);
        }
        return new BoundGraph(graph, newBuffers, newOffsets, plan);
    }

    private void requireId(int id) {
        if (id < 0 || id >= buffers.length) {
            throw new InvalidPlanException("there is no tensor " + id + " in a graph of " + buffers.length);
        }
    }

    /** Whether a buffer is closed, so that the graph must be bound again before it can run. */
    public boolean isStale() {
        for (Buffer buffer : distinct) {
            if (buffer.isClosed()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether every buffer is open and every tensor still has memory of its own where it had, and none where it had none,
     * so that binding the graph again with the same plan and buffers would give the same.
     */
    @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory, whatever else they have in common
    boolean isCurrent() {
        if (isStale()) {
            return false;
        }
        for (int id = 0; id < buffers.length; id++) {
            if (graph.viewSource(id) == Graph.NO_ID) {
                Tensor tensor = graph.tensor(id);
                boolean isPlanned = plan != null && plan.isPlanned(id);
                boolean isSame = tensor.isPlaced()
                        ? !isPlanned && Buffer.of(tensor) == buffers[id]
                        : isPlanned || buffers[id] == null;
                if (!isSame) {
                    return false;
                }
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return "BoundGraph[" + graph.nodeCount() + " nodes, " + distinct.length + " buffers]";
    }
}
