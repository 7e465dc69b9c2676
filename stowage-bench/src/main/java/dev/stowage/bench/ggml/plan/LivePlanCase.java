package dev.stowage.bench.ggml.plan;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.plan.PlanRequest;
import java.util.List;
import java.util.stream.IntStream;

/** A question for two planners, and the seed it was drawn from. */
record LivePlanCase(long seed, PlanRequest request) {

    Graph graph() {
        return request.graph();
    }

    /** The kinds of memory there are; the same one twice is the same memory. */
    List<BufferType> types() {
        return IntStream.range(0, request.bufferCount())
                .mapToObj(request::bufferType)
                .toList();
    }

    int[] nodeBuffers() {
        return IntStream.range(0, graph().nodeCount()).map(request::buffer).toArray();
    }

    int[] leafBuffers() {
        int nodes = graph().nodeCount();
        return IntStream.range(nodes, nodes + graph().leafCount())
                .map(request::buffer)
                .toArray();
    }

    @Override
    public String toString() {
        return "seed " + seed + ": " + graph() + " in " + request.bufferCount() + " buffers";
    }
}
