package dev.stowage.plan;

import dev.stowage.error.AccessException;
import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BoundTensor;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferGroup;
import dev.stowage.memory.BufferLeases;
import dev.stowage.tensor.Tensor;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A graph with memory: a buffer and an offset for every tensor. Backends compute bound graphs; inputs are written and
 * outputs read through them. Immutable: binding changes neither the graph nor its tensors, so a graph can be bound any
 * number of times, by any allocator and thread.
 *
 * {@snippet :
 * BoundGraph bound = allocator.bind(graph);
 * TensorData.setFloats(bound.tensor(x), 1, 2, 3);
 * backend.compute(bound);
 * float[] result = TensorData.getFloats(bound.tensor(y));
 * }
 *
 * <p>Graphs bound by one allocator share its memory: running one overwrites the results of another. To keep a result,
 * read it first, or give the tensor memory of its own before binding, as weights have. The buffers belong to their
 * owners: once one is closed, because its allocator was closed or has grown, the graph must be bound again before it
 * runs.
 */
public final class BoundGraph {

    private final Graph graph;
    private final @Nullable Buffer[] buffers;
    private final long[] offsets;
    private final BufferGroup distinct;

    private final @Nullable MemoryPlan plan;
    /** How many tensors of this process had memory of their own when that of the tensors here was last compared. */
    private volatile long comparedAt = -1;

    BoundGraph(Graph graph, @Nullable Buffer[] buffers, long[] offsets, @Nullable MemoryPlan plan) {
        this.graph = graph;
        this.buffers = buffers;
        this.offsets = offsets;
        this.distinct = BufferGroup.of(buffers);
        this.plan = plan;
        requireOpen();
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

    /** Whether the tensor has memory; only a tensor that nothing in the graph reaches has none. */
    public boolean hasMemory(int id) {
        return buffers[id] != null;
    }

    /**
     * The buffer that the tensor is stored in.
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

    public long offset(int id) {
        return offsets[id];
    }

    public BoundTensor tensor(int id) {
        return BoundTensor.at(graph.tensor(id), buffer(id), offsets[id]);
    }

    /**
     * A tensor of the graph with its buffer and offset.
     *
     * @throws dev.stowage.error.InvalidGraphException if it is not in the graph
     */
    public BoundTensor tensor(Tensor tensor) {
        return tensor(graph.idOf(tensor));
    }

    /** How many buffers the tensors are stored in. */
    public int bufferCount() {
        return distinct.size();
    }

    /** One of the {@link #bufferCount} buffers. */
    public Buffer distinctBuffer(int index) {
        return distinct.get(index);
    }

    /**
     * Takes a lease on every buffer, so that none frees its memory while this graph runs.
     *
     * @throws ClosedException if one is closed; the leases may be held in part then
     */
    public void lease(BufferLeases leases) {
        try {
            leases.addAll(distinct);
        } catch (ClosedException e) {
            requireOpen();
            throw e;
        }
    }

    public boolean isCovered(BufferLeases leases) {
        return leases.covers(distinct);
    }

    /**
     * Checks that all buffers are open.
     *
     * @throws ClosedException if one is closed, naming a tensor that is stored in it
     */
    public void requireOpen() {
        Buffer closed = distinct.findClosed();
        if (closed != null) {
            throw BoundGraphChecks.closed(graph, buffers, closed);
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
     * As {@link #part(Graph)} for a part whose tensor {@code id} is tensor {@code ids[id]} of this graph, or its
     * counterpart in a structurally identical graph. Tensors with memory of their own keep it.
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
        Initialization initialization = new Initialization();
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
                    initialization.add(tensor, buffer, offset);
                }
            }
            partBuffers[id] = buffer;
            partOffsets[id] = offset;
        }
        initialization.complete();
        return new BoundGraph(part, partBuffers, partOffsets, null);
    }

    @SuppressWarnings("ReferenceEquality") // a tensor is the same only if it is the same object
    private boolean isTensor(int id, Tensor tensor) {
        return graph.tensor(id) == tensor;
    }

    /**
     * The same graph with tensor {@code ids[i]}, and all views of it, moved to the place of tensor {@code at[i]}.
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
            Buffer buffer = newBuffers[id];
            if (buffer != null) {
                BoundTensor.requireFit(graph.tensor(id), buffer, newOffsets[id]);
            }
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
        return distinct.findClosed() != null;
    }

    /**
     * Whether binding again with the same plan and buffers would give the same: every buffer is open, and the same
     * tensors have the same memory of their own.
     */
    boolean isCurrent() {
        long now = Tensor.placements();
        if (now != comparedAt) {
            for (int id = 0; id < buffers.length; id++) {
                if (graph.viewSource(id) == Graph.NO_ID && !isStoredAsBound(id)) {
                    return false;
                }
            }
            comparedAt = now;
        }
        return !isStale();
    }

    @SuppressWarnings("ReferenceEquality") // two buffers are never the same memory, whatever else they have in common
    private boolean isStoredAsBound(int id) {
        Tensor tensor = graph.tensor(id);
        Buffer own = buffers[id] == null || (plan != null && plan.isPlanned(id)) ? null : buffers[id];
        return own == null ? !tensor.isPlaced() : tensor.isPlaced() && Buffer.of(tensor) == own;
    }

    @Override
    public String toString() {
        return "BoundGraph[" + graph.nodeCount() + " nodes, " + distinct.size() + " buffers]";
    }
}
