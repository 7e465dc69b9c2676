package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.internal.ByteSums;
import java.util.Arrays;

/**
 * Builds a plan, for planners outside this package. Each chunk is as large as the tensors placed in it need. The plan
 * is not validated here; use {@link PlanValidator}.
 */
public final class MemoryPlanBuilder {

    private final String planner;
    private final PlanRequest request;
    private final int[] buffers;
    private final int[] chunks;
    private final long[] offsets;
    private final long[] sizes;
    private final int[] inPlaceOf;

    MemoryPlanBuilder(String planner, PlanRequest request) {
        this.planner = planner;
        this.request = request;
        int size = request.graph().size();
        this.buffers = new int[size];
        this.chunks = new int[size];
        this.offsets = new long[size];
        this.sizes = new long[size];
        this.inPlaceOf = new int[size];
        Arrays.fill(buffers, MemoryPlan.NOT_PLANNED);
        Arrays.fill(inPlaceOf, Graph.NO_ID);
    }

    /** Places a tensor; its size is its allocation size in that buffer type. */
    public MemoryPlanBuilder place(int id, int buffer, int chunk, long offset) {
        if (buffer < 0 || buffer >= request.bufferCount() || chunk < 0 || offset < 0) {
            throw new InvalidPlanException("'" + request.graph().label(id) + "' cannot be placed in buffer " + buffer
                    + " of " + request.bufferCount() + ", chunk " + chunk + ", at offset " + offset);
        }
        long size = request.bufferType(buffer).allocationSize(request.graph().tensor(id));
        restore(id, buffer, chunk, offset, size, Graph.NO_ID);
        return this;
    }

    /** Sets the place of a tensor as it was in another plan. */
    void restore(int id, int buffer, int chunk, long offset, long size, int overwritten) {
        buffers[id] = buffer;
        chunks[id] = chunk;
        offsets[id] = offset;
        sizes[id] = size;
        inPlaceOf[id] = overwritten;
    }

    boolean isPlaced(int id) {
        return buffers[id] != MemoryPlan.NOT_PLANNED;
    }

    /** Places a result over an operand, which must have a place already. */
    public MemoryPlanBuilder placeOver(int id, int operand) {
        if (!isPlaced(operand)) {
            throw new InvalidPlanException("'" + request.graph().label(operand) + "' has no place that '"
                    + request.graph().label(id) + "' could take");
        }
        place(id, buffers[operand], chunks[operand], offsets[operand]);
        inPlaceOf[id] = operand;
        return this;
    }

    /** The plan; the builder can be used again. */
    public MemoryPlan build() {
        return build(chunkSizes());
    }

    MemoryPlan build(long[][] chunkSizes) {
        return new MemoryPlan(
                planner,
                request,
                buffers.clone(),
                chunks.clone(),
                offsets.clone(),
                sizes.clone(),
                inPlaceOf.clone(),
                chunkSizes);
    }

    private long[][] chunkSizes() {
        long[][] all = new long[request.bufferCount()][];
        for (int buffer = 0; buffer < all.length; buffer++) {
            int first = request.firstWithSameType(buffer);
            all[buffer] = first < buffer ? all[first] : chunkSizes(buffer);
        }
        return all;
    }

    private long[] chunkSizes(int buffer) {
        long[] ends = {};
        for (int id = 0; id < buffers.length; id++) {
            if (isPlaced(id) && request.firstWithSameType(buffers[id]) == buffer) {
                ends = chunks[id] < ends.length ? ends : Arrays.copyOf(ends, chunks[id] + 1);
                long end = request.padded(buffer, ByteSums.sum(offsets[id], sizes[id]));
                ends[chunks[id]] = Math.max(ends[chunks[id]], end);
            }
        }
        return ends;
    }
}
