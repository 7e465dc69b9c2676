package dev.stowage.schedule;

import dev.stowage.device.DeviceMemory;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.Planner;
import dev.stowage.schedule.pass.AssignmentTable;
import java.util.Map;

/**
 * How much memory each device has to compute in, and whether a draft keeps to it. Stated by the caller, or what the device
 * has free now; what ggml's placement takes counts as free then, as it may be taken by the graph that was run before.
 */
final class MemoryLimits {

    private final DeviceSet devices;
    private final long[] limit;

    private MemoryLimits(DeviceSet devices) {
        this.devices = devices;
        this.limit = new long[devices.count()];
    }

    static MemoryLimits of(DeviceSet devices, Map<String, Long> stated, Draft ggml) {
        MemoryLimits limits = new MemoryLimits(devices);
        boolean planned = false;
        for (int device = 0; device < limits.limit.length; device++) {
            Long known = stated.get(devices.name(device));
            limits.limit[device] = known == null ? free(devices, device) : known;
            planned |= known == null && limits.limit[device] < Long.MAX_VALUE;
        }
        if (planned) {
            limits.allow(ggml, stated);
        }
        return limits;
    }

    /** A device that does not say how much memory it has is taken to have enough. */
    private static long free(DeviceSet devices, int device) {
        DeviceMemory memory = devices.device(device).memory();
        return memory.total() > 0 ? memory.free() : Long.MAX_VALUE;
    }

    private void allow(Draft ggml, Map<String, Long> stated) {
        MemoryPlan plan = Planner.ggml().plan(PlannedGraph.of(ggml).request());
        for (int device = 0; device < limit.length; device++) {
            if (!stated.containsKey(devices.name(device))) {
                limit[device] = Math.max(limit[device], plan.bufferSize(device));
            }
        }
    }

    /** Whether so many bytes are surely to be had. */
    boolean isEnough(int device, long bytes) {
        return bytes <= limit[devices.firstWithSameMemory(device)];
    }

    /** The first device that a draft takes too much of, or {@link AssignmentTable#NONE}. */
    int overfull(Draft draft) {
        MemoryPlan plan = Planner.ggml().plan(PlannedGraph.of(draft).request());
        for (int device = 0; device < limit.length; device++) {
            if (plan.bufferSize(device) > limit[device]) {
                return device;
            }
        }
        return AssignmentTable.NONE;
    }
}
