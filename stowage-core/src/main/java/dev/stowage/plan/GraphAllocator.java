package dev.stowage.plan;

import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.flight.FlightRecording;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gives the tensors of a graph memory: plans it, takes buffers of the planned sizes, and binds the tensors to them.
 *
 * {@snippet :
 * try (GraphAllocator allocator = GraphAllocator.on(HostBufferType.standard())) {
 *     allocator.reserve(largestGraph); // optional: take the memory of the worst case once
 *     allocator.bind(graph);           // tensors of the graph now lie in the allocator's buffers
 * }
 * }
 *
 * <table>
 * <caption>The three steps</caption>
 * <tr><th>step</th><th>plans</th><th>takes memory</th><th>moves tensors</th></tr>
 * <tr><td>{@link #measure}</td><td>yes</td><td>no</td><td>no</td></tr>
 * <tr><td>{@link #reserve}</td><td>yes</td><td>when a chunk must grow</td><td>no</td></tr>
 * <tr><td>{@link #bind}</td><td>only if the graph differs from the plan's</td><td>then</td><td>yes</td></tr>
 * </table>
 *
 * <p>A plan serves every graph that is put together like the one it was made for, with tensors that are no larger.
 * Anything else is planned anew where there is one buffer type; with several the caller must say again which node lies
 * where, so {@code bind} refuses and says what differs. Binding takes tensors of the graph that lie in compute buffers,
 * this allocator's or another's, to their planned place; one graph at a time can hold the memory.
 *
 * <p>A reserve that fails leaves buffers and plan as they were; for that the new buffers are taken before the old ones
 * are given back. Not thread-safe. Closing gives back all buffers; tensors bound to them can then no longer be read.
 */
public final class GraphAllocator implements AutoCloseable {

    private final List<BufferType> types;
    private final Planner planner;
    private PlannedBuffers buffers;
    private @Nullable MemoryPlan plan;
    private boolean closed;

    private GraphAllocator(List<BufferType> types, Planner planner) {
        if (types.isEmpty()) {
            throw new InvalidPlanException("an allocator needs at least one buffer type");
        }
        this.types = List.copyOf(types);
        this.planner = planner;
        this.buffers = PlannedBuffers.none(types.size());
    }

    /** An allocator that plans as ggml does, in these kinds of memory. */
    public static GraphAllocator on(BufferType... types) {
        return new GraphAllocator(List.of(types), Planner.ggml());
    }

    /** An allocator that plans in the caller's way, in these kinds of memory. */
    public static GraphAllocator on(List<BufferType> types, Planner planner) {
        return new GraphAllocator(types, planner);
    }

    /** Plans a graph, everything in the first buffer type, without taking memory. */
    public MemoryPlan measure(Graph graph) {
        return measure(graph, new int[graph.nodeCount()], new int[graph.leafCount()]);
    }

    /** Plans a graph, with a buffer type by number for each node and leaf, without taking memory. */
    public MemoryPlan measure(Graph graph, int[] nodeBuffers, int[] leafBuffers) {
        requireOpen();
        return planned(PlanRequest.of(graph, types, nodeBuffers, leafBuffers));
    }

    /** Plans a graph, everything in the first buffer type, and makes sure that there is memory for it. */
    public MemoryPlan reserve(Graph graph) {
        return reserve(measure(graph));
    }

    /** Plans a graph, with a buffer type by number for each node and leaf, and makes sure that there is memory for it. */
    public MemoryPlan reserve(Graph graph, int[] nodeBuffers, int[] leafBuffers) {
        return reserve(measure(graph, nodeBuffers, leafBuffers));
    }

    /**
     * Takes on a plan made before, by {@link #measure} or read from a file, and makes sure that there is memory for it.
     *
     * @throws InvalidPlanException if the plan is for other kinds of memory
     * @throws dev.stowage.error.AllocationException if the memory is not to be had; nothing has changed then
     */
    public MemoryPlan reserve(MemoryPlan newPlan) {
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
     * Gives every planned tensor of a graph its place, planning anew first where the graph differs from the one the
     * plan was made for. Binding the same graph again costs a look at each tensor and makes no garbage.
     *
     * <p>Where the memory itself refuses a tensor, the planned tensors of the graph are left without a place.
     *
     * @throws InvalidPlanException if the graph differs and there are several buffer types, or a tensor that the graph
     *     reads and does not compute has no memory of its own; nothing has changed then
     */
    public MemoryPlan bind(Graph graph) {
        requireOpen();
        MemoryPlan current = plan;
        if (current != null && current.graph() == graph && buffers.alreadyBound(current, graph)) {
            buffers.reset();
            return current;
        }
        PlanMatch.requireOthersPlaced(graph, buffers);
        if (current == null || !PlanMatch.fits(current, graph)) {
            if (types.size() > 1) {
                throw new InvalidPlanException("this graph is not the one memory was reserved for: "
                        + (current == null ? "nothing was reserved" : PlanMatch.difference(current, graph))
                        + "; with several buffer types call reserve with the buffer of each node and leaf first");
            }
            current = reserve(graph);
        }
        buffers.reset();
        buffers.bind(current, graph);
        return current;
    }

    /**
     * As {@link #bind(Graph)}, with the buffer of every node and leaf, so that the graph can be planned anew with several
     * buffer types too. For a caller whose devices may still be at work in the memory: {@code beforeNewPlan} is called
     * when another plan is about to take the place of the one at hand, and not where that one serves.
     *
     * @throws InvalidPlanException if the request is for other buffer types, or a tensor that the graph reads and does not
     *     compute has no memory of its own; nothing has changed then
     */
    public MemoryPlan bind(PlanRequest request, Runnable beforeNewPlan) {
        requireOpen();
        Graph graph = request.graph();
        MemoryPlan current = plan;
        if (current != null && current.request() == request && buffers.alreadyBound(current, graph)) {
            buffers.reset();
            return current;
        }
        PlanMatch.requireOthersPlaced(graph, buffers);
        if (current == null || !PlanMatch.fits(current, request)) {
            MemoryPlan fresh = planned(request);
            beforeNewPlan.run();
            current = reserve(fresh);
        }
        buffers.reset();
        buffers.bind(current, graph);
        return current;
    }

    /** The plan that {@link #bind} would use, if there is one. */
    public Optional<MemoryPlan> plan() {
        return Optional.ofNullable(plan);
    }

    /** The bytes taken for that buffer type; 0 where an earlier one is the same type and has been counted. */
    public long bufferSize(int buffer) {
        return types.indexOf(types.get(buffer)) == buffer ? buffers.size(buffer) : 0;
    }

    /** The bytes taken in all. */
    public long size() {
        long sum = 0;
        for (int buffer = 0; buffer < types.size(); buffer++) {
            sum += bufferSize(buffer);
        }
        return sum;
    }

    /** The buffers behind a buffer type, one for each chunk, for reading them as a whole. */
    public List<Buffer> buffers(int buffer) {
        requireOpen();
        return buffers.chunks(types.indexOf(types.get(buffer)));
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            plan = null;
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
