package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a plan serves a graph: the graph is the one the plan was made for, or is put together in the same
 * way, needs no more bytes for any tensor, and leaves the same tensors to be planned. Equal node counts and sizes, which
 * is all ggml looks at, are not enough: two graphs can agree in both and keep their tensors for different times.
 */
final class PlanMatch {

    private PlanMatch() {}

    static boolean fits(MemoryPlan plan, Graph graph) {
        if (graph == plan.graph()) {
            return firstFixedOtherwise(plan, graph) == Graph.NO_ID;
        }
        return difference(plan, graph) == null;
    }

    /** As {@link #fits(MemoryPlan, Graph)}, with every node and leaf in the same kind of memory too. */
    static boolean fits(MemoryPlan plan, PlanRequest request) {
        return plan.request().asksForSameMemory(request) && fits(plan, request.graph());
    }

    /** What keeps a plan from serving a graph, in words; null if it serves. */
    static @Nullable String difference(MemoryPlan plan, Graph graph) {
        Graph planned = plan.graph();
        if (graph.nodeCount() != planned.nodeCount() || graph.leafCount() != planned.leafCount()) {
            return "it has " + graph.nodeCount() + " nodes and " + graph.leafCount() + " leaves, the plan "
                    + planned.nodeCount() + " and " + planned.leafCount();
        }
        if (!graph.isWiredLike(planned)) {
            return "its tensors read or view others than in the plan, or are marked otherwise, or cannot work in place where"
                    + " those of the plan can";
        }
        int unlike = firstFixedOtherwise(plan, graph);
        if (unlike != Graph.NO_ID) {
            return "'" + graph.label(unlike) + "' "
                    + (plan.request().isFixed(unlike)
                            ? "had memory of its own and has none now"
                            : "has memory of its own now");
        }
        for (int id = 0; id < graph.size(); id++) {
            String difference = difference(plan, graph, id);
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    private static @Nullable String difference(MemoryPlan plan, Graph graph, int id) {
        Tensor tensor = graph.tensor(id);
        if (!plan.isPlanned(id)) {
            return null;
        }
        BufferType type = plan.request().bufferType(plan.buffer(id));
        if (type.allocationSize(tensor) > plan.size(id)) {
            return "'" + graph.label(id) + "' needs " + type.allocationSize(tensor) + " bytes, the plan has "
                    + plan.size(id);
        }
        int operand = plan.inPlaceOf(id);
        boolean inPlace = operand == Graph.NO_ID || InPlaceRules.kernels().allow(graph, id, operand);
        return inPlace
                ? null
                : "'" + graph.label(id) + "' cannot be computed in the place of '" + graph.label(operand)
                        + "' as in the plan";
    }

    /** The first tensor that has memory of its own now and had none when the plan was made, or the reverse. */
    private static int firstFixedOtherwise(MemoryPlan plan, Graph graph) {
        for (int id = 0; id < graph.size(); id++) {
            if (plan.request().isFixed(id) != PlanRequest.isFixedNow(graph, id)) {
                return id;
            }
        }
        return Graph.NO_ID;
    }

    /**
     * Checks that every tensor which the graph reads and does not compute, and which is not planned, has memory: weights,
     * and outsiders, which somebody else has computed. An outsider in the memory that is about to be used again would
     * lose its bytes.
     *
     * @throws InvalidPlanException if one has none, or lies there
     */
    static void requireOthersPlaced(Graph graph, PlannedBuffers own) {
        for (int id = 0; id < graph.size(); id++) {
            boolean isView = graph.viewSource(id) != Graph.NO_ID;
            if (isView || !(graph.isWeight(id) || graph.isOutsider(id))) {
                continue;
            }
            Tensor tensor = graph.tensor(id);
            if (!tensor.isPlaced()) {
                throw new InvalidPlanException(
                        (graph.isWeight(id) ? "the weight " : "what this graph reads and does not compute, ")
                                + tensor.describe()
                                + ", has no memory yet: place it, or all tensors of its builder, in a buffer before binding");
            }
            if (graph.isOutsider(id) && own.contain(tensor.storage())) {
                throw new InvalidPlanException(tensor.describe()
                        + " was computed in the memory this allocator is about to use again: bind the graph that computes"
                        + " it as a whole, or copy it elsewhere");
            }
        }
    }
}
