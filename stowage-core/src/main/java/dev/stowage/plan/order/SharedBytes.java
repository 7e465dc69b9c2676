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
 * Which tensors of a graph are the same bytes, by id: a view and its source, and tensors that were placed over each
 * other by hand. Each such group goes by one of its ids. Places that a plan gives are not looked at, since another plan
 * gives others.
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

    /** The id that the bytes of a tensor go by. */
    int group(int id) {
        return groups[graph.viewSource(id) == Graph.NO_ID ? id : graph.viewSource(id)];
    }
}
