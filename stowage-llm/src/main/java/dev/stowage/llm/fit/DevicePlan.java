package dev.stowage.llm.fit;

import dev.stowage.device.Device;
import dev.stowage.graph.Graph;
import dev.stowage.models.LayerMap;
import dev.stowage.models.LayerNorms;
import dev.stowage.models.LayerPlacement;
import dev.stowage.schedule.DeviceSet;
import dev.stowage.schedule.Placement;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.schedule.ScheduleRequest;
import java.util.ArrayList;
import java.util.List;

/**
 * A model planned over devices: where its layers are, how its graph is scheduled, and what each device then holds. Plain
 * data; nothing has been loaded.
 *
 * @param layers which device each layer, and the output, is on
 * @param schedule which device computes what in the largest graph, and what is copied
 * @param loads what each device holds, in the order of the devices
 */
public record DevicePlan(LayerPlacement layers, Schedule schedule, List<DeviceLoad> loads) {

    public DevicePlan {
        loads = List.copyOf(loads);
    }

    /** Builds a model, stores weights and caches with their layers, and schedules every graph that memory is taken for. */
    static DevicePlan of(
            Workload workload, List<DeviceBudget> devices, LayerPlacement layers, ScheduleOptions options) {
        ModelPasses passes = workload.build();
        StoredTensors stored = new StoredTensors(passes, devices, layers, options.offloadsOps());
        List<Device> asked = devicesToAsk(devices, stored, options);
        DeviceSet set = DeviceSet.of(asked, ResultMemory.of(asked));
        List<Schedule> schedules = passes.all().stream()
                .map(pass -> schedule(pass.graph(), pass.layers(), layers, set, options))
                .toList();
        List<DeviceLoad> loads = new ArrayList<>();
        for (int device = 0; device < devices.size(); device++) {
            loads.add(new DeviceLoad(
                    devices.get(device),
                    stored.weightBytes(device),
                    stored.cacheBytes(device),
                    mostCompute(device, schedules)));
        }
        return new DevicePlan(layers, schedules.getFirst(), loads);
    }

    /** Only a placement other than ggml's asks how much memory is left. */
    private static List<Device> devicesToAsk(
            List<DeviceBudget> devices, StoredTensors stored, ScheduleOptions options) {
        List<Device> asked = new ArrayList<>();
        for (int device = 0; device < devices.size(); device++) {
            DeviceBudget budget = devices.get(device);
            asked.add(
                    options.placement().equals(Placement.ggml())
                            ? budget.device()
                            : new BudgetedDevice(budget, stored.weightBytes(device) + stored.cacheBytes(device)));
        }
        return asked;
    }

    private static Schedule schedule(
            Graph graph, LayerMap map, LayerPlacement layers, DeviceSet devices, ScheduleOptions options) {
        return Schedule.of(new ScheduleRequest(graph, devices, options, LayerNorms.assignments(map, layers)));
    }

    private static long mostCompute(int device, List<Schedule> schedules) {
        return schedules.stream()
                .mapToLong(schedule -> schedule.computeSize(device))
                .max()
                .orElseThrow();
    }

    /** Whether every device has room for what it holds. */
    public boolean fits() {
        return loads.stream().allMatch(DeviceLoad::fits);
    }

    /** The bytes by which the memory of all devices together is too small; 0 if it fits. */
    public long missing() {
        return loads.stream().mapToLong(DeviceLoad::missing).reduce(0, Math::addExact);
    }
}
