package dev.stowage.plan;

import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.flight.FlightRecording;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Plans the memory of graphs, allocates buffers of the planned sizes, and binds graphs to them ({@code ggml_gallocr}).
 *
 * {@snippet :
 * try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard())) {
 *     allocator.reserve(largestGraph);           // optional: allocate for the worst case once
 *     BoundGraph bound = allocator.bind(graph);  // every tensor has a place in the allocator's buffers
 * }
 * }
 *
 * <table>
 * <caption>The three steps</caption>
 * <tr><th>step</th><th>plans</th><th>allocates</th></tr>
 * <tr><td>{@link #measure}</td><td>yes</td><td>no</td></tr>
 * <tr><td>{@link #reserve}</td><td>yes</td><td>when a chunk must grow</td></tr>
 * <tr><td>{@link #bind}</td><td>only if the graph differs from the plan's</td><td>then</td></tr>
 * </table>
 *
 * <p>All bound graphs share the memory: running one overwrites the results of another. When buffers grow, graphs bound
 * before must be bound again, so reserve the largest graph first.
 *
 * <p>The last plan serves every graph with the same wiring whose tensors are not larger. Other graphs are planned anew
 * with one buffer type; with several, {@code bind} throws and reports the difference, since the caller must assign
 * buffers again.
 *
 * <p>A failed reserve changes nothing: new buffers are allocated before old ones are freed. Thread-safe. Closing frees
 * all buffers, those in use by a run when it ends.
 */
public final class GraphAllocator implements AutoCloseable {

    private final List<BufferType> types;
    private final Planner planner;
    private PlannedBuffers buffers;
    private @Nullable MemoryPlan plan;
    private @Nullable BoundGraph bound;
    private boolean closed;

    private GraphAllocator(List<BufferType> types, Planner planner) {
        if (types.isEmpty()) {
            throw new InvalidPlanException("an allocator needs at least one buffer type");
        }
        this.types = List.copyOf(types);
        this.planner = planner;
        this.buffers = PlannedBuffers.none(types.size());
    }

    /** An allocator with ggml's planner. */
    public static GraphAllocator on(BufferType... types) {
        return new GraphAllocator(List.of(types), Planner.ggml());
    }

    public static GraphAllocator on(List<BufferType> types, Planner planner) {
        return new GraphAllocator(types, planner);
    }

    /** Plans a graph in the first buffer type, without allocating. */
    public MemoryPlan measure(Graph graph) {
        return measure(graph, new int[graph.nodeCount()], new int[graph.leafCount()]);
    }

    /** Plans a graph with a buffer type for each node and leaf, without allocating. */
    public synchronized MemoryPlan measure(Graph graph, int[] nodeBuffers, int[] leafBuffers) {
        requireOpen();
        return planned(PlanRequest.of(graph, types, nodeBuffers, leafBuffers));
    }

    /** Plans a graph in the first buffer type and allocates what is missing. */
    public MemoryPlan reserve(Graph graph) {
        return reserve(measure(graph));
    }

    /** Plans a graph with a buffer type for each node and leaf, and allocates what is missing. */
    public MemoryPlan reserve(Graph graph, int[] nodeBuffers, int[] leafBuffers) {
        return reserve(measure(graph, nodeBuffers, leafBuffers));
    }

    /**
     * Uses a plan made by {@link #measure} or read from a file, and allocates what is missing.
     *
     * @throws InvalidPlanException if the plan is for other kinds of memory
     * @throws dev.stowage.error.AllocationException if allocation fails; nothing has changed then
     */
    public synchronized MemoryPlan reserve(MemoryPlan newPlan) {
        requireOpen();
        requireOwnTypes(newPlan);
        PlannedBuffers before = buffers;
        if (!before.hold(newPlan)) {
            buffers = before.grownFor(newPlan);
        }
        plan = newPlan;
        before.closeExcept(buffers);
        return newPlan;
    }

    /**
     * Binds a graph, planning first if it differs from the planned one. Binding the same graph again returns the same
     * bound graph and allocates nothing.
     *
     * @throws InvalidPlanException if the graph differs and there are several buffer types, or a tensor that the graph
     *     reads and does not compute has no memory of its own; nothing has changed then
     * @throws dev.stowage.error.StowageException if the memory refuses a tensor
     */
    public synchronized BoundGraph bind(Graph graph) {
        requireOpen();
        BoundGraph current = bound;
        if (current != null && current.graph() == graph && current.isCurrent()) {
            buffers.reset();
            return current;
        }
        PlanMatch.requireOthersPlaced(graph);
        MemoryPlan serving = plan;
        String difference =
                serving == null ? "nothing was reserved" : PlanMatch.difference(serving, graph, planner.inPlace());
        if (difference != null) {
            if (types.size() > 1) {
                throw new InvalidPlanException("this graph is not the one memory was reserved for: " + difference
                        + "; with several buffer types call reserve with the buffer of each node and leaf first");
            }
            serving = reserve(graph);
        }
        return bound(Objects.requireNonNull(serving), graph);
    }

    /**
     * As {@link #bind(Graph)}, with the buffer of every node and leaf, so that several buffer types can be replanned
     * too.
     *
     * @throws InvalidPlanException if the request is for other buffer types, or a tensor that the graph reads and does
     *     not compute has no memory of its own; nothing has changed then
     */
    public synchronized BoundGraph bind(PlanRequest request) {
        requireOpen();
        PlanMatch.requireOthersPlaced(request.graph());
        MemoryPlan serving = plan;
        if (serving == null || !PlanMatch.fits(serving, request, planner.inPlace())) {
            serving = reserve(planned(request));
        }
        return bound(serving, request.graph());
    }

    /**
     * Binds a graph with a plan made for it or a structurally identical graph, and allocates what is missing.
     *
     * @throws InvalidPlanException if the plan is for other kinds of memory or does not serve the graph
     */
    public synchronized BoundGraph bind(MemoryPlan newPlan, Graph graph) {
        requireOpen();
        PlanMatch.requireOthersPlaced(graph);
        String difference = PlanMatch.difference(newPlan, graph, InPlaceRules.kernels());
        if (difference != null) {
            throw new InvalidPlanException("the plan does not serve this graph: " + difference);
        }
        return bound(reserve(newPlan), graph);
    }

    private BoundGraph bound(MemoryPlan serving, Graph graph) {
        buffers.reset();
        BoundGraph made = buffers.bind(serving, graph);
        bound = made;
        return made;
    }

    /** The plan that {@link #bind} would use, if there is one. */
    public synchronized Optional<MemoryPlan> plan() {
        return Optional.ofNullable(plan);
    }

    /** The bytes allocated for a buffer type; 0 if an earlier one is the same type. */
    public synchronized long bufferSize(int buffer) {
        return types.indexOf(types.get(buffer)) == buffer ? buffers.size(buffer) : 0;
    }

    /** The bytes allocated in all. */
    public synchronized long size() {
        return IntStream.range(0, types.size()).mapToLong(this::bufferSize).sum();
    }

    /** The buffers of a buffer type, one per chunk. */
    public synchronized List<Buffer> buffers(int buffer) {
        requireOpen();
        return buffers.chunks(types.indexOf(types.get(buffer)));
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            plan = null;
            bound = null;
            PlannedBuffers before = buffers;
            buffers = PlannedBuffers.none(types.size());
            before.closeExcept(buffers);
        }
    }

    private MemoryPlan planned(PlanRequest request) {
        return FlightRecording.isOn() ? PlanEvent.recorded(planner, request) : planner.plan(request);
    }

    private void requireOwnTypes(MemoryPlan newPlan) {
        boolean same = newPlan.bufferCount() == types.size();
        for (int buffer = 0; same && buffer < types.size(); buffer++) {
            same = newPlan.request().bufferType(buffer).equals(types.get(buffer));
        }
        if (!same) {
            throw new InvalidPlanException("the plan is for other buffer types than this allocator's "
                    + types.stream().map(BufferType::name).toList());
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new ClosedException("this graph allocator is closed; make a new one");
        }
    }
}
