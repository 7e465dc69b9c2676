package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;

/**
 * What a schedule is asked for: a graph, the devices to spread it over, the options, and the devices the caller has
 * chosen for some tensors.
 *
 * @param graph what to compute; it is not changed
 * @param devices the devices in order of priority
 * @param options how to spread the graph
 * @param assignments the number of a device for tensors that the caller has decided on; what is not in the graph does
 *     not matter
 */
public record ScheduleRequest(
        Graph graph, DeviceSet devices, ScheduleOptions options, Map<Tensor, Integer> assignments) {

    /** SplitCopies the assignments, so that the request never changes. */
    public ScheduleRequest {
        assignments = Map.copyOf(assignments);
    }

    /** A graph over devices in the way of ggml, nothing assigned by the caller. */
    public static ScheduleRequest of(Graph graph, DeviceSet devices) {
        return of(graph, devices, ScheduleOptions.defaults());
    }

    /** A graph over devices, nothing assigned by the caller. */
    public static ScheduleRequest of(Graph graph, DeviceSet devices, ScheduleOptions options) {
        return new ScheduleRequest(graph, devices, options, Map.of());
    }

    /**
     * The same with a tensor on a device of the caller's choice, by its number.
     *
     * @throws dev.stowage.error.InvalidPlanException if there is no such device
     */
    public ScheduleRequest assign(Tensor tensor, int device) {
        devices.device(device);
        Map<Tensor, Integer> more = new HashMap<>(assignments);
        more.put(tensor, device);
        return new ScheduleRequest(graph, devices, options, more);
    }

    /** The same with tensors on devices of the caller's choice, by their numbers. */
    public ScheduleRequest assign(Map<Tensor, Integer> chosen) {
        Map<Tensor, Integer> more = new HashMap<>(assignments);
        more.putAll(chosen);
        return new ScheduleRequest(graph, devices, options, more);
    }

    /** The same for another graph. */
    ScheduleRequest forGraph(Graph newGraph) {
        return new ScheduleRequest(newGraph, devices, options, assignments);
    }
}
