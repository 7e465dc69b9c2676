package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.ByteSums;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A buffer, chunk and offset for every tensor of a graph. A plan is plain data that needs no memory: it can be
 * measured, checked, explained, saved and compared before anything is allocated. Immutable and thread-safe.
 */
public final class MemoryPlan {

    /** No buffer: the tensor has memory of its own, or nothing in the graph reaches it. */
    public static final int NOT_PLANNED = -1;

    private final String planner;
    private final PlanRequest request;
    private final Graph graph;
    private final int[] buffers;
    private final int[] chunks;
    private final long[] offsets;
    private final long[] sizes;
    private final int[] inPlaceOf;
    private final long[][] chunkSizes;
    private volatile @Nullable PlanAnalysis analysis;

    /** The arrays are by tensor id and belong to the plan from now on; views are left out of them. */
    MemoryPlan(
            String planner,
            PlanRequest request,
            int[] buffers,
            int[] chunks,
            long[] offsets,
            long[] sizes,
            int[] inPlaceOf,
            long[][] chunkSizes) {
        this.planner = planner;
        this.request = request;
        this.graph = request.graph();
        this.buffers = buffers;
        this.chunks = chunks;
        this.offsets = offsets;
        this.sizes = sizes;
        this.inPlaceOf = inPlaceOf;
        this.chunkSizes = chunkSizes;
    }

    public String planner() {
        return planner;
    }

    /** The same plan under the name of another planner. */
    public MemoryPlan withPlanner(String otherPlanner) {
        return new MemoryPlan(otherPlanner, request, buffers, chunks, offsets, sizes, inPlaceOf, chunkSizes);
    }

    public PlanRequest request() {
        return request;
    }

    public Graph graph() {
        return graph;
    }

    /** Whether this plan gives that tensor a place of its own; views and fixed tensors have none. */
    public boolean isPlanned(int id) {
        return buffers[id] != NOT_PLANNED;
    }

    /** The buffer of a planned tensor, or {@link #NOT_PLANNED}. */
    public int buffer(int id) {
        return buffers[id];
    }

    public int chunk(int id) {
        return chunks[id];
    }

    /** The offset of a planned tensor in its chunk. */
    public long offset(int id) {
        return offsets[id];
    }

    /** The bytes a planned tensor was given, before rounding up to the alignment. */
    public long size(int id) {
        return sizes[id];
    }

    /**
     * The tensor whose place a result overwrites, or {@link Graph#NO_ID}: an operand, or the source of an operand view.
     */
    public int inPlaceOf(int id) {
        return inPlaceOf[id];
    }

    /** The place of a tensor of the graph, views included; empty if it has none. */
    public Optional<PlannedPlace> placement(Tensor tensor) {
        return placement(graph.idOf(tensor));
    }

    /** The place of a tensor by id, views included; empty if it has none. */
    public Optional<PlannedPlace> placement(int id) {
        int owner = graph.root(id);
        if (!isPlanned(owner)) {
            return Optional.empty();
        }
        long bytes = owner == id ? sizes[id] : graph.tensor(id).byteSize();
        long shift = owner == id ? 0 : graph.tensor(id).viewOffset();
        return Optional.of(new PlannedPlace(buffers[owner], chunks[owner], offsets[owner] + shift, bytes));
    }

    /** How many buffers the plan has; a type listed twice counts twice. */
    public int bufferCount() {
        return chunkSizes.length;
    }

    public int chunkCount(int buffer) {
        return chunkSizes[buffer].length;
    }

    public long chunkSize(int buffer, int chunk) {
        return chunkSizes[buffer][chunk];
    }

    /** The bytes of a buffer; 0 if an earlier buffer has the same type. */
    public long bufferSize(int buffer) {
        return request.firstWithSameType(buffer) == buffer ? ByteSums.sum(chunkSizes[buffer]) : 0;
    }

    /** The bytes this plan needs, in all buffers together. */
    public long size() {
        long bytes = 0;
        for (int buffer = 0; buffer < bufferCount(); buffer++) {
            bytes = ByteSums.sum(bytes, bufferSize(buffer));
        }
        return bytes;
    }

    /** Lower bound, savings, and the live tensors at the peak; computed when first asked for. */
    public PlanAnalysis analysis() {
        PlanAnalysis known = analysis;
        if (known == null) {
            known = new PlanAnalysis(this);
            analysis = known;
        }
        return known;
    }

    /** Whether this plan fits a budget of bytes, by how much, and which tensors are live at the peak. */
    public BudgetFit fitInto(long bytes) {
        return BudgetFit.of(this, bytes);
    }

    /** A human-readable page: sizes, ratio to the lower bound, what is live at the peak and why. */
    public String explain() {
        return PlanText.explain(this);
    }

    /** This plan as JSON: buffers, chunks, and the place, live range and in-place operand of every tensor. */
    public String toJson() {
        return PlanJson.write(this);
    }

    /**
     * Reads a plan that was saved with {@link #toJson} for the same graph and the same buffer types.
     *
     * @throws dev.stowage.error.MalformedDataException if the text is not a saved plan
     * @throws InvalidPlanException if it is for another graph or other buffer types, or invalid
     */
    public static MemoryPlan fromJson(String json, PlanRequest request) {
        return PlanJson.read(json, request);
    }

    /** A builder for planners outside this package. */
    public static MemoryPlanBuilder builder(String planner, PlanRequest request) {
        return new MemoryPlanBuilder(planner, request);
    }

    /** Whether another plan has the same places for a graph with the same wiring. */
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof MemoryPlan that
                        && graph.isWiredLike(that.graph)
                        && Arrays.equals(buffers, that.buffers)
                        && Arrays.equals(chunks, that.chunks)
                        && Arrays.equals(offsets, that.offsets)
                        && Arrays.equals(sizes, that.sizes)
                        && Arrays.equals(inPlaceOf, that.inPlaceOf)
                        && Arrays.deepEquals(chunkSizes, that.chunkSizes));
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(offsets) * 31 + Arrays.deepHashCode(chunkSizes);
    }

    @Override
    public String toString() {
        return "MemoryPlan[" + planner + ", " + graph.nodeCount() + " nodes, " + size() + " bytes]";
    }
}
