package dev.stowage.plan.order;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.plan.PlanRequest;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Groups tensors that share bytes: views and their sources, and tensors placed over each other by the caller. Places
 * given by a plan do not count, since another plan gives others. A group is identified by one of its ids.
 */
final class SharedBytes {

    private final Graph graph;
    private final int[] groups;

    SharedBytes(PlanRequest request) {
        this.graph = request.graph();
        this.groups = new int[graph.size()];
        IdentityHashMap<Buffer, List<Integer>> placed = new IdentityHashMap<>();
        for (int id = 0; id < groups.length; id++) {
            groups[id] = id;
            Tensor tensor = graph.tensor(id);
            if (request.isFixed(id) && !tensor.isView() && tensor.isPlaced()) {
                placed.computeIfAbsent(Buffer.of(tensor), _ -> new ArrayList<>())
                        .add(id);
            }
        }
        placed.values().forEach(this::joinOverlapping);
    }

    private void joinOverlapping(List<Integer> ids) {
        ids.sort(Comparator.comparingLong(id -> graph.tensor(id).storageOffset()));
        int first = ids.getFirst();
        long end = end(first);
        for (int id : ids.subList(1, ids.size())) {
            if (graph.tensor(id).storageOffset() < end) {
                groups[id] = first;
            } else {
                first = id;
            }
            end = Math.max(end, end(id));
        }
    }

    private long end(int id) {
        return graph.tensor(id).storageOffset() + graph.tensor(id).byteSize();
    }

    /** The group of a tensor. */
    int group(int id) {
        return groups[graph.root(id)];
    }
}
