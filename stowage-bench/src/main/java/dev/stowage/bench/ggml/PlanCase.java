package dev.stowage.bench.ggml;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.PlanRequest;
import java.util.List;

/** A question for two planners: a graph, the kinds of memory there are, and which of them each tensor is to lie in. */
record PlanCase(long seed, Graph graph, List<BufferType> types, int[] nodeBuffers, int[] leafBuffers) {

    PlanRequest request() {
        return PlanRequest.of(graph, types, nodeBuffers, leafBuffers);
    }

    @Override
    public String toString() {
        return "seed " + seed + ": " + graph + " in " + types.size() + " buffers";
    }
}
