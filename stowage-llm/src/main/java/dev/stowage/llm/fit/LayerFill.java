package dev.stowage.llm.fit;

import dev.stowage.memory.Allocations;
import dev.stowage.memory.BufferType;
import dev.stowage.models.LayerMap;
import dev.stowage.models.LayerPlacement;
import dev.stowage.schedule.ScheduleOptions;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Fills devices in order: the first gets as many parts of the model as it has room for, then the next, and the
 * processor what is left. What weights and caches take is known before; what results take depends on which device computes
 * what, so it is found out by scheduling:
 *
 * <ol>
 *   <li>Distribute the parts by weights and caches, beside what is set aside for results, at first nothing.
 *   <li>Schedule. Where a device does not fit, set aside what its results took, and distribute again.
 *   <li>What was set aside may have been too much, so offer each device one part more, as long as all fit.
 * </ol>
 *
 * <p>Every answer has been scheduled, so no device but the processor ever holds more than it has room for, unless it
 * does so without a single part. Each attempt plans the model anew and changes nothing that another sees.
 */
final class LayerFill {
    private final Workload workload;
    private final List<DeviceBudget> devices;
    private final ScheduleOptions options;
    private final long[] partBytes;
    private final long[] setAside;

    LayerFill(Workload workload, List<DeviceBudget> devices, ScheduleOptions options) {
        this.workload = workload;
        this.devices = devices;
        this.options = options;
        this.partBytes = partBytes(workload.build(), devices.getFirst().device().bufferType());
        this.setAside = new long[devices.size() - 1];
    }

    /** The bytes of weights and caches by part. */
    private static long[] partBytes(ModelPasses passes, BufferType type) {
        LayerMap map = passes.largest().layers();
        List<List<Tensor>> tensors = new ArrayList<>();
        for (int part = 0; part <= map.layers(); part++) {
            tensors.add(new ArrayList<>());
        }
        Stream.concat(passes.largest().weights().stream(), passes.largest().cache().stream())
                .filter(tensor -> map.partOf(tensor) != LayerPlacement.INPUT)
                .forEach(tensor -> tensors.get(map.partOf(tensor)).add(tensor));
        return tensors.stream()
                .mapToLong(ofPart -> Allocations.sizeOf(ofPart, type))
                .toArray();
    }

    /** The fullest plan. */
    DevicePlan fill() {
        int[] parts = distribute();
        DevicePlan plan = plan(parts);
        while (!isRoomFor(plan)) {
            setAside(plan, parts);
            int[] fewer = distribute();
            if (Arrays.equals(fewer, parts)) {
                return plan;
            }
            parts = fewer;
            plan = plan(parts);
        }
        for (int device = 0; device < parts.length; device++) {
            plan = withMoreOn(device, plan);
        }
        return plan;
    }

    private DevicePlan plan(int[] parts) {
        return DevicePlan.of(workload, devices, LayerPlacement.inRow(workload.layers(), parts), options);
    }

    /** The processor takes what is left whether there is room or not. */
    private boolean isRoomFor(DevicePlan plan) {
        return plan.loads().subList(0, setAside.length).stream().allMatch(DeviceLoad::fits);
    }

    /** The most parts at the end of the model that the devices before the processor have room for, taken in order. */
    private int[] distribute() {
        long[] rooms = new long[setAside.length];
        Arrays.setAll(rooms, device -> devices.get(device).bytes() - setAside[device]);
        return LayerPlacement.distribute(partBytes, rooms);
    }

    private void setAside(DevicePlan plan, int[] parts) {
        int next = partBytes.length - IntStream.of(parts).sum();
        for (int device = 0; device < parts.length; device++) {
            DeviceLoad load = plan.loads().get(device);
            long counted = 0;
            for (int i = 0; i < parts[device]; i++) {
                counted += partBytes[next++];
            }
            if (!load.fits()) {
                setAside[device] = Math.max(setAside[device], load.total() - counted);
            }
        }
    }

    private DevicePlan withMoreOn(int device, DevicePlan plan) {
        DevicePlan best = plan;
        while (true) {
            int[] parts = best.layers().parts();
            int giver = giver(device, parts);
            if (giver == device) {
                return best;
            }
            parts[device]++;
            if (giver < parts.length) {
                parts[giver]--;
            }
            DevicePlan more = plan(parts);
            if (!isRoomFor(more)) {
                return best;
            }
            best = more;
        }
    }

    /** The device that could give up a part: the processor, else the next that has any; the device itself if none. */
    private int giver(int device, int[] parts) {
        if (IntStream.of(parts).sum() < partBytes.length) {
            return parts.length;
        }
        return IntStream.range(device + 1, parts.length)
                .filter(later -> parts[later] > 0)
                .findFirst()
                .orElse(device);
    }
}
