package dev.stowage.plan;

import dev.stowage.graph.Graph;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** The arrays of a plan, open for changes: how tests make plans that no planner would make. */
public final class PlanParts {

    final PlanRequest request;
    final int[] buffers;
    final int[] chunks;
    final long[] offsets;
    final long[] sizes;
    final int[] inPlaceOf;
    final long[][] chunkSizes;

    private PlanParts(PlanRequest request) {
        int size = request.graph().size();
        this.request = request;
        this.buffers = new int[size];
        this.chunks = new int[size];
        this.offsets = new long[size];
        this.sizes = new long[size];
        this.inPlaceOf = new int[size];
        this.chunkSizes = new long[request.bufferCount()][0];
        Arrays.fill(buffers, MemoryPlan.NOT_PLANNED);
        Arrays.fill(inPlaceOf, Graph.NO_ID);
    }

    /** A plan that gives no tensor a place. */
    static PlanParts nothing(PlanRequest request) {
        return new PlanParts(request);
    }

    /** A copy of all that a plan says. */
    static PlanParts of(MemoryPlan plan) {
        PlanParts parts = new PlanParts(plan.request());
        for (int id = 0; id < parts.buffers.length; id++) {
            parts.buffers[id] = plan.buffer(id);
            parts.chunks[id] = plan.chunk(id);
            parts.offsets[id] = plan.offset(id);
            parts.sizes[id] = plan.size(id);
            parts.inPlaceOf[id] = plan.inPlaceOf(id);
        }
        for (int buffer = 0; buffer < parts.chunkSizes.length; buffer++) {
            int current = buffer;
            parts.chunkSizes[buffer] = IntStream.range(0, plan.chunkCount(buffer))
                    .mapToLong(chunk -> plan.chunkSize(current, chunk))
                    .toArray();
        }
        return parts;
    }

    /**
     * Puts a tensor in the place of another, in a chunk that is made large enough. The plan no longer says that it takes the
     * place of an operand, or that a result takes its place.
     */
    void moveOnto(int moved, int there) {
        inPlaceOf[moved] = Graph.NO_ID;
        for (int id = 0; id < inPlaceOf.length; id++) {
            inPlaceOf[id] = inPlaceOf[id] == moved ? Graph.NO_ID : inPlaceOf[id];
        }
        buffers[moved] = buffers[there];
        chunks[moved] = chunks[there];
        offsets[moved] = offsets[there];
        long[] ofBuffer = chunkSizes[buffers[there]];
        ofBuffer[chunks[there]] = Math.max(ofBuffer[chunks[there]], offsets[there] + sizes[moved]);
    }

    MemoryPlan plan() {
        return new MemoryPlan(
                "by hand",
                request,
                buffers.clone(),
                chunks.clone(),
                offsets.clone(),
                sizes.clone(),
                inPlaceOf.clone(),
                Arrays.stream(chunkSizes).map(long[]::clone).toArray(long[][]::new));
    }

    /** What a plan says, one line for each tensor that has a place and each chunk: equal for equal plans. */
    public static List<String> lines(MemoryPlan plan) {
        PlanParts parts = of(plan);
        return IntStream.range(0, parts.buffers.length + parts.chunkSizes.length)
                .mapToObj(i ->
                        i < parts.buffers.length ? parts.tensorLine(i) : parts.bufferLine(i - parts.buffers.length))
                .toList();
    }

    private String tensorLine(int id) {
        return buffers[id] == MemoryPlan.NOT_PLANNED
                ? "tensor " + id + " nowhere"
                : "tensor " + id + " of " + sizes[id] + " bytes in buffer " + buffers[id] + " chunk " + chunks[id]
                        + " at " + offsets[id] + " in place of " + inPlaceOf[id];
    }

    private String bufferLine(int buffer) {
        return "buffer " + buffer + " has chunks " + Arrays.toString(chunkSizes[buffer]);
    }
}
