package dev.stowage.schedule;

import dev.stowage.device.DeviceMemory;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.Planner;
import dev.stowage.schedule.pass.AssignmentTable;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The memory limit of each device: stated by the caller, or the free memory of the device. What ggml's placement needs
 * counts as free, since the previous graph may hold it.
 */
final class MemoryLimits {

    private final DeviceSet devices;
    private final long[] limit;

    /** @param stated by name of a device, its limit, where the caller has stated one */
    MemoryLimits(DeviceSet devices, Map<String, Long> stated, Draft ggml) {
        this.devices = devices;
        this.limit = new long[devices.count()];
        boolean isAnyLimited = false;
        for (int device = 0; device < limit.length; device++) {
            Long known = stated.get(devices.name(device));
            limit[device] = known == null ? free(devices, device) : known;
            isAnyLimited |= known == null && limit[device] < Long.MAX_VALUE;
        }
        if (isAnyLimited) {
            allow(ggml, stated);
        }
    }

    /** A device that does not report its memory has no limit. */
    private static long free(DeviceSet devices, int device) {
        DeviceMemory memory = devices.device(device).memory();
        return memory.total() > 0 ? memory.free() : Long.MAX_VALUE;
    }

    private void allow(Draft ggml, Map<String, Long> stated) {
        MemoryPlan plan = Planner.ggml().plan(new PlannedGraph(ggml).request());
        for (int device = 0; device < limit.length; device++) {
            if (!stated.containsKey(devices.name(device))) {
                limit[device] = Math.max(limit[device], plan.bufferSize(device));
            }
        }
    }

    /** Whether the bytes are within the limit of a device. */
    boolean isEnough(int device, long bytes) {
        return bytes <= limit[devices.firstWithSameMemory(device)];
    }

    /** The first device whose limit a draft exceeds, or {@link AssignmentTable#NONE}. */
    int overfull(Draft draft) {
        MemoryPlan plan = Planner.ggml().plan(new PlannedGraph(draft).request());
        return IntStream.range(0, limit.length)
                .filter(device -> plan.bufferSize(device) > limit[device])
                .findFirst()
                .orElse(AssignmentTable.NONE);
    }
}
