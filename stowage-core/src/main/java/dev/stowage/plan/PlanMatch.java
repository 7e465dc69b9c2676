package dev.stowage.plan;

import dev.stowage.error.ClosedException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.BufferType;
import dev.stowage.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a plan serves a graph: the graph has the same wiring, no tensor needs more bytes, and the same
 * tensors are planned. Equal node counts and sizes, which is all ggml compares, are not enough: live ranges can still
 * differ.
 */
public final class PlanMatch {

    private PlanMatch() {}

    static boolean fits(MemoryPlan plan, PlanRequest request, InPlaceRules rules) {
        return plan.request().asksForSameMemory(request) && difference(plan, request.graph(), rules) == null;
    }

    /** Why a plan does not serve a graph, as text; null if it does. */
    public static @Nullable String difference(MemoryPlan plan, Graph graph, InPlaceRules rules) {
        Graph planned = plan.graph();
        if (graph.nodeCount() != planned.nodeCount() || graph.leafCount() != planned.leafCount()) {
            return "it has " + graph.nodeCount() + " nodes and " + graph.leafCount() + " leaves, the plan "
                    + planned.nodeCount() + " and " + planned.leafCount();
        }
        if (!graph.isWiredLike(planned)) {
            return "its tensors read or view other tensors than in the plan, or are marked otherwise, or cannot work in"
                    + " place where those of the plan can";
        }
        if (graph != planned) {
            plan.request().fetchSizes(graph);
        }
        for (int id = 0; id < graph.size(); id++) {
            String difference = difference(plan, graph, id, rules);
            if (difference != null) {
                return difference;
            }
        }
        return null;
    }

    private static @Nullable String difference(MemoryPlan plan, Graph graph, int id, InPlaceRules rules) {
        Tensor tensor = graph.tensor(id);
        boolean isFixed = plan.request().isFixed(id);
        if (graph.viewSource(id) == Graph.NO_ID && isFixed != PlanRequest.isFixedNow(graph, id)) {
            return "'" + graph.label(id) + "' "
                    + (isFixed ? "had memory of its own and has none now" : "has memory of its own now");
        }
        if (!plan.isPlanned(id) || graph == plan.graph()) {
            return null;
        }
        BufferType type = plan.request().bufferType(plan.buffer(id));
        if (type.allocationSize(tensor) > plan.size(id)) {
            return "'" + graph.label(id) + "' needs " + type.allocationSize(tensor) + " bytes, the plan has "
                    + plan.size(id);
        }
        int operand = plan.inPlaceOf(id);
        boolean inPlace = operand == Graph.NO_ID || rules.allow(graph, id, operand);
        return inPlace
                ? null
                : "'" + graph.label(id) + "' cannot be computed in the place of '" + graph.label(operand)
                        + "' as in the plan";
    }

    /**
     * Checks that weights and external tensors have memory of their own, and that no such memory is closed.
     *
     * @throws InvalidPlanException if one has none
     * @throws ClosedException if the memory of one is closed
     */
    static void requireOthersPlaced(Graph graph) {
        for (int id = 0; id < graph.size(); id++) {
            if (graph.viewSource(id) != Graph.NO_ID) {
                continue;
            }
            Tensor tensor = graph.tensor(id);
            if (tensor.isPlaced()) {
                if (Buffer.of(tensor).isClosed()) {
                    throw closed(tensor, Buffer.of(tensor));
                }
            } else if (graph.isWeight(id) || graph.isExternal(id)) {
                throw new InvalidPlanException(
                        (graph.isWeight(id) ? "the weight " : "what this graph reads and does not compute, ")
                                + tensor.describe()
                                + ", has no memory yet: place it, or all tensors of its builder, in a buffer before binding");
            }
        }
    }

    /** The failure of a tensor whose memory of its own is closed. */
    static ClosedException closed(Tensor tensor, Buffer buffer) {
        return new ClosedException(tensor.describe() + " is stored in the buffer " + buffer
                + ", which is closed: place it, or the tensor it is a view of, in another buffer, and bind the graph"
                + " again");
    }
}
