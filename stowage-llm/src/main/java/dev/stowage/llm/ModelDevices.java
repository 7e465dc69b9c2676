package dev.stowage.llm;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import dev.stowage.error.DeviceException;
import dev.stowage.error.InvalidPlanException;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.models.KeyValueCache;
import dev.stowage.models.LayerPlacement;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Which devices a model runs on, and which of its parts each gets, where the caller leaves that open. */
final class ModelDevices {

    /** One part in so many of a device's memory is left for what is computed. */
    private static final int SHARE_FOR_RESULTS = 8;

    private ModelDevices() {}

    /** What the options name, or what the machine has: its graphics processors, and the processor last. */
    static List<Device> of(ModelOptions options) {
        if (!options.devices().isEmpty()) {
            return options.devices();
        }
        DeviceRegistry registry = DeviceRegistry.load();
        List<Device> devices = new ArrayList<>(registry.devices(DeviceType.GPU));
        List<Device> processors = registry.devices(DeviceType.CPU);
        if (processors.isEmpty()) {
            throw DeviceException.of(
                    "cpu", "lookup", "there is none: put stowage-cpu or stowage-reference on the path");
        }
        devices.add(processors.getFirst());
        return devices;
    }

    /**
     * The layers asked for, or as many as the free memory of each device has room for with their cache, the first device
     * first.
     *
     * @throws InvalidPlanException if more layers are asked for than there are
     */
    static LayerPlacement placement(ModelBlueprint blueprint, List<Device> devices, ModelOptions options, int context) {
        int layers = blueprint.shape().layers();
        int others = devices.size() - 1;
        if (options.layersOn().isEmpty()) {
            return LayerPlacement.inRow(layers, fill(blueprint, devices.subList(0, others), options, context));
        }
        int[] counts = options.layersOn().stream().mapToInt(Integer::intValue).toArray();
        if (counts.length != others) {
            throw new InvalidPlanException("layers are given for " + counts.length + " devices, but there are " + others
                    + " before the last one, which gets what is left");
        }
        long asked = 0;
        for (int count : counts) {
            asked += count;
        }
        if (asked > layers + 1L) {
            throw new InvalidPlanException(asked + " layers are asked for, but the model has " + layers + ", or "
                    + (layers + 1) + " with its output");
        }
        return LayerPlacement.ofLayers(layers, counts);
    }

    /**
     * The most parts at the end of the model that the devices have room for, taken in order. What results take is known only
     * once they are scheduled, so a share of each memory is left for them.
     */
    private static int[] fill(ModelBlueprint blueprint, List<Device> devices, ModelOptions options, int context) {
        KeyValueCache cache = options.newCache(blueprint, context);
        long[] partBytes = new long[blueprint.outputPart() + 1];
        Arrays.setAll(partBytes, part -> bytes(blueprint, cache, part));
        long[] rooms = devices.stream()
                .mapToLong(device -> device.memory().free())
                .map(free -> free - free / SHARE_FOR_RESULTS)
                .toArray();
        return LayerPlacement.dealtOut(partBytes, rooms);
    }

    private static long bytes(ModelBlueprint blueprint, KeyValueCache cache, int part) {
        long weights = sum(blueprint.weights(part));
        return part < blueprint.outputPart() ? weights + sum(cache.tensors(part)) : weights;
    }

    private static long sum(List<Tensor> tensors) {
        return tensors.stream().mapToLong(Tensor::byteSize).sum();
    }
}
