package dev.stowage.bench.ggml.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferUsage;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Map;

/**
 * A question for two schedulers.
 *
 * @param name what it is called in messages, such as its seed
 * @param graph what is to be computed
 * @param devices the devices, highest priority first
 * @param places what has memory of its own, and which
 * @param assignments the number of a device for what the caller has decided on
 * @param isPipelined whether several runs can be in flight
 * @param offloads whether a device may take a node although its weights are on the host
 */
record LiveScheduleCase(
        String name,
        Graph graph,
        List<NoOpRules> devices,
        Map<Tensor, Place> places,
        Map<Tensor, Integer> assignments,
        boolean isPipelined,
        boolean offloads) {

    /**
     * Where a tensor is stored.
     *
     * @param memory the name of a kind of memory that a device has
     * @param usage what the buffer is for
     */
    record Place(String memory, BufferUsage usage) {}

    @Override
    public String toString() {
        return name + ": " + graph + " over " + devices + (isPipelined ? ", pipelined" : "")
                + (offloads ? ", offloading" : "") + ", " + assignments.size() + " assigned";
    }
}
