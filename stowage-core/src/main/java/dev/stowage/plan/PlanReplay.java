package dev.stowage.plan;

import dev.stowage.graph.Graph;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;

/**
 * A plan in time: holds the taken ranges of every chunk and goes from node to node, first taking what the node writes,
 * then releasing what is not needed after it. Whatever is written over a range that is taken is a conflict, unless the
 * plan says that the one is computed in the place of the other and that node is the last to need it.
 */
final class PlanReplay {

    /** Is given every tensor that is written, and one that is still needed and has bytes there. */
    @FunctionalInterface
    interface Conflict {
        void found(int writer, int victim);
    }

    private final MemoryPlan plan;
    private final Graph graph;
    private final IntUnaryOperator from;
    private final IntUnaryOperator to;
    private final List<List<NavigableMap<Long, Integer>>> taken = new ArrayList<>();

    PlanReplay(MemoryPlan plan, IntUnaryOperator from, IntUnaryOperator to) {
        this.plan = plan;
        this.graph = plan.graph();
        this.from = from;
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
        int[][] endingAt = endingAt();
        for (int id = 0; id < graph.size(); id++) {
            if (from.applyAsInt(id) == Liveness.BEFORE) {
                take(id, conflict);
            }
        }
        release(endingAt[0]);
        for (int node = 0; node < graph.nodeCount(); node++) {
            if (from.applyAsInt(node) == node) {
                take(node, conflict);
            }
            release(endingAt[node + 1]);
        }
    }

    /** The tensors by the time they are last needed, {@link Liveness#BEFORE} being the first. */
    private int[][] endingAt() {
        int[] counts = new int[graph.nodeCount() + 2];
        for (int id = 0; id < graph.size(); id++) {
            counts[to.applyAsInt(id) + 1]++;
        }
        int[][] ending = new int[counts.length][];
        for (int time = 0; time < counts.length; time++) {
            ending[time] = new int[counts[time]];
        }
        for (int id = 0; id < graph.size(); id++) {
            int time = to.applyAsInt(id) + 1;
            ending[time][--counts[time]] = id;
        }
        return ending;
    }

    private NavigableMap<Long, Integer> chunkOf(int id) {
        return taken.get(plan.request().firstWithSameType(plan.buffer(id))).get(plan.chunk(id));
    }

    private void release(int[] ids) {
        for (int id : ids) {
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
