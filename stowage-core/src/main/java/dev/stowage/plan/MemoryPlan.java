package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.ByteSums;
import dev.stowage.tensor.Tensor;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where every tensor of a graph is to lie: a buffer, a chunk of it and an offset. A plan is plain data about memory
 * that may not exist yet: it can be measured, checked, explained, saved and compared before a byte is taken. It
 * belongs to the graph it was made for.
 *
 * <p>Immutable, and safe to share between threads.
 */
public final class MemoryPlan {

    /** Stands for "no buffer": a tensor with memory of its own, or one that nothing in the graph reaches. */
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

    /** The name of the planner that made this plan. */
    public String planner() {
        return planner;
    }

    /** The same plan under the name of a planner that took it over. */
    public MemoryPlan withPlanner(String otherPlanner) {
        return new MemoryPlan(otherPlanner, request, buffers, chunks, offsets, sizes, inPlaceOf, chunkSizes);
    }

    /** What was asked of the planner. */
    public PlanRequest request() {
        return request;
    }

    /** The graph this plan is for. */
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

    /** The chunk of its buffer that a planned tensor lies in. */
    public int chunk(int id) {
        return chunks[id];
    }

    /** Where in its chunk a planned tensor begins. */
    public long offset(int id) {
        return offsets[id];
    }

    /** The bytes a planned tensor was given, before rounding up to the alignment. */
    public long size(int id) {
        return sizes[id];
    }

    /**
     * The tensor whose place that one took over when it was computed, or {@link Graph#NO_ID}: an operand, or what an
     * operand is a view of.
     */
    public int inPlaceOf(int id) {
        return inPlaceOf[id];
    }

    /** Where a tensor of the graph lies, views included; empty for what the plan gives no place. */
    public Optional<PlannedPlace> placement(Tensor tensor) {
        return placement(graph.idOf(tensor));
    }

    /** Where the tensor with that id lies, views included; empty for what the plan gives no place. */
    public Optional<PlannedPlace> placement(int id) {
        int viewSource = graph.viewSource(id);
        int owner = viewSource == Graph.NO_ID ? id : viewSource;
        if (!isPlanned(owner)) {
            return Optional.empty();
        }
        long bytes = owner == id ? sizes[id] : graph.tensor(id).byteSize();
        long shift = owner == id ? 0 : graph.tensor(id).viewOffset();
        return Optional.of(new PlannedPlace(buffers[owner], chunks[owner], offsets[owner] + shift, bytes));
    }

    /** How many buffers the plan speaks of, the same type listed twice counted twice. */
    public int bufferCount() {
        return chunkSizes.length;
    }

    /** How many chunks that buffer has. */
    public int chunkCount(int buffer) {
        return chunkSizes[buffer].length;
    }

    /** The bytes of one chunk. */
    public long chunkSize(int buffer, int chunk) {
        return chunkSizes[buffer][chunk];
    }

    /** The bytes of a buffer; 0 where an earlier buffer has the same type and has been counted. */
    public long bufferSize(int buffer) {
        long bytes = 0;
        if (request.firstWithSameType(buffer) == buffer) {
            for (long chunk : chunkSizes[buffer]) {
                bytes = ByteSums.sum(bytes, chunk);
            }
        }
        return bytes;
    }

    /** The bytes this plan needs, in all buffers together. */
    public long size() {
        long bytes = 0;
        for (int buffer = 0; buffer < bufferCount(); buffer++) {
            bytes = ByteSums.sum(bytes, bufferSize(buffer));
        }
        return bytes;
    }

    /** What this plan comes to: lower bound, what sharing saved, what is live at the peak. Computed when first asked. */
    public PlanAnalysis analysis() {
        PlanAnalysis known = analysis;
        if (known == null) {
            known = new PlanAnalysis(this);
            analysis = known;
        }
        return known;
    }

    /** Whether this plan fits into so many bytes, by how much it does or does not, and which tensors decide it. */
    public BudgetFit fitInto(long bytes) {
        return BudgetFit.of(this, bytes);
    }

    /** A page for people: sizes, how close to the lower bound, what is live at the peak and why. */
    public String explain() {
        return PlanText.explain(this);
    }

    /** This plan as JSON: buffers, chunks, and for every tensor its place, its life and what it was computed over. */
    public String toJson() {
        return PlanJson.write(this);
    }

    /**
     * Reads a plan that was saved with {@link #toJson} for the same graph and the same buffer types.
     *
     * @throws dev.stowage.error.MalformedDataException if the text is no saved plan
     * @throws InvalidPlanException if it is one for another graph or other buffer types, or breaks a rule of plans
     */
    public static MemoryPlan fromJson(String json, PlanRequest request) {
        return PlanJson.read(json, request);
    }

    /** Starts a plan made by other means than the planners here; give every tensor that needs bytes its place. */
    public static MemoryPlanBuilder builder(String planner, PlanRequest request) {
        return new MemoryPlanBuilder(planner, request);
    }

    /** Whether another plan gives the same tensors of a graph with the same wiring the same places. */
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
