package dev.stowage.schedule;

import dev.stowage.graph.Graph;
import dev.stowage.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;

/**
 * The input of a schedule: a graph, the devices, the options, and assignments by the caller.
 *
 * @param graph the graph; it is not changed
 * @param devices the devices in order of priority
 * @param options the options
 * @param assignments the device number of tensors that the caller assigns; tensors outside the graph are ignored
 */
public record ScheduleRequest(
        Graph graph, DeviceSet devices, ScheduleOptions options, Map<Tensor, Integer> assignments) {

    /** Copies the assignments. */
    public ScheduleRequest {
        assignments = Map.copyOf(assignments);
    }

    public static ScheduleRequest of(Graph graph, DeviceSet devices) {
        return of(graph, devices, ScheduleOptions.defaults());
    }

    public static ScheduleRequest of(Graph graph, DeviceSet devices, ScheduleOptions options) {
        return new ScheduleRequest(graph, devices, options, Map.of());
    }

    /**
     * The same with a tensor assigned to a device.
     *
     * @throws dev.stowage.error.InvalidPlanException if there is no such device
     */
    public ScheduleRequest assign(Tensor tensor, int device) {
        devices.device(device);
        return assign(Map.of(tensor, device));
    }

    public ScheduleRequest assign(Map<Tensor, Integer> chosen) {
        Map<Tensor, Integer> more = new HashMap<>(assignments);
        more.putAll(chosen);
        return new ScheduleRequest(graph, devices, options, more);
    }

    ScheduleRequest forGraph(Graph newGraph) {
        return new ScheduleRequest(newGraph, devices, options, assignments);
    }
}
