package dev.stowage.picture;

import dev.stowage.plan.Liveness;
import dev.stowage.plan.MemoryPlan;
import java.util.ArrayList;
import java.util.List;

/**
 * A panel of a plan's picture: a chunk with its size and the most bytes live in it. In a buffer of one chunk the latter
 * is the lower bound; with several it shows how tightly the chunk is filled.
 *
 * @param buffer the number of the buffer in the plan
 * @param chunk the chunk of that buffer
 * @param size the bytes of the chunk
 * @param mostLive the most bytes live in it at any one time
 * @param peak when that is for the first time: a node, or {@link Liveness#BEFORE}
 */
record PlanPicturePanel(int buffer, int chunk, long size, long mostLive, int peak) {

    /** The panels of a plan, in the order of its buffers and chunks; what holds no byte has none. */
    static List<PlanPicturePanel> of(MemoryPlan plan, PlanPictureTimes times) {
        List<PlanPicturePanel> panels = new ArrayList<>();
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            boolean first = plan.request().firstWithSameType(buffer) == buffer;
            for (int chunk = 0; first && chunk < plan.chunkCount(buffer); chunk++) {
                if (plan.chunkSize(buffer, chunk) > 0) {
                    panels.add(of(plan, times, buffer, chunk));
                }
            }
        }
        return List.copyOf(panels);
    }

    private static PlanPicturePanel of(MemoryPlan plan, PlanPictureTimes times, int buffer, int chunk) {
        long[] change = new long[times.slots() + 1];
        for (int id = 0; id < plan.graph().size(); id++) {
            if (isIn(plan, id, buffer, chunk)) {
                long bytes = plan.request().padded(buffer, plan.size(id));
                change[times.start(id)] += bytes;
                change[times.end(id)] -= bytes;
            }
        }
        long live = 0;
        long mostLive = 0;
        int peak = 0;
        // The slot after the last node is left out: what is kept for the caller has been counted at that node.
        for (int slot = 0; slot <= plan.graph().nodeCount(); slot++) {
            live += change[slot];
            if (live > mostLive) {
                mostLive = live;
                peak = slot;
            }
        }
        return new PlanPicturePanel(buffer, chunk, plan.chunkSize(buffer, chunk), mostLive, peak - 1);
    }

    /** Whether the plan gives a tensor its place here. */
    boolean holds(MemoryPlan plan, int id) {
        return isIn(plan, id, buffer, chunk);
    }

    private static boolean isIn(MemoryPlan plan, int id, int buffer, int chunk) {
        return plan.isPlanned(id)
                && plan.request().firstWithSameType(plan.buffer(id)) == buffer
                && plan.chunk(id) == chunk;
    }
}
