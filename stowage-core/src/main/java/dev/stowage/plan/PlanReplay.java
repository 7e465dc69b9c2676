package dev.stowage.plan;

import dev.stowage.graph.Graph;
import dev.stowage.internal.IntList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * Replays a plan node by node: each node first takes the ranges it writes, then releases those at the end of their live
 * range. Writing over a taken range is a conflict, unless the plan computes the writer in the place of that tensor and
 * the writer is its last reader.
 */
final class PlanReplay {

    /** Receives a tensor that is written, and a live tensor that it overwrites. */
    @FunctionalInterface
    interface Conflict {
        void found(int writer, int victim);
    }

    private final MemoryPlan plan;
    private final Graph graph;
    private final Liveness liveness;
    private final IntUnaryOperator to;
    private final List<List<NavigableMap<Long, Integer>>> taken = new ArrayList<>();

    /** @param to the time at which a tensor is needed for the last time */
    PlanReplay(MemoryPlan plan, Liveness liveness, IntUnaryOperator to) {
        this.plan = plan;
        this.graph = plan.graph();
        this.liveness = liveness;
        this.to = to;
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            List<NavigableMap<Long, Integer>> chunks = new ArrayList<>();
            for (int chunk = 0; chunk < plan.chunkCount(buffer); chunk++) {
                chunks.add(new TreeMap<>());
            }
            taken.add(chunks);
        }
    }

    void forEachConflict(Conflict conflict) {
        IntList[] endingAt = IntList.empty(graph.nodeCount() + 2);
        for (int id = 0; id < graph.size(); id++) {
            endingAt[to.applyAsInt(id) + 1].add(id);
            if (liveness.from(id) == Liveness.BEFORE) {
                take(id, conflict);
            }
        }
        release(endingAt[0]);
        for (int node = 0; node < graph.nodeCount(); node++) {
            if (liveness.from(node) == node) {
                take(node, conflict);
            }
            release(endingAt[node + 1]);
        }
    }

    private NavigableMap<Long, Integer> chunkOf(int id) {
        return taken.get(plan.request().firstWithSameType(plan.buffer(id))).get(plan.chunk(id));
    }

    private void release(IntList ids) {
        for (int i = 0; i < ids.size(); i++) {
            int id = ids.get(i);
            if (plan.isPlanned(id)) {
                chunkOf(id).remove(plan.offset(id), id);
            }
        }
    }

    private void take(int id, Conflict conflict) {
        if (!plan.isPlanned(id) || plan.size(id) == 0) {
            return;
        }
        NavigableMap<Long, Integer> chunk = chunkOf(id);
        long start = plan.offset(id);
        long end = start + plan.size(id);
        Map.Entry<Long, Integer> other = chunk.lowerEntry(end);
        while (other != null && other.getKey() + plan.size(other.getValue()) > start) {
            int victim = other.getValue();
            chunk.remove(other.getKey());
            if (plan.inPlaceOf(id) != victim || to.applyAsInt(victim) != id) {
                conflict.found(id, victim);
            }
            other = chunk.lowerEntry(end);
        }
        chunk.put(start, id);
    }
}
