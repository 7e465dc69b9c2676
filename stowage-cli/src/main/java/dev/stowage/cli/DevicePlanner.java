package dev.stowage.cli;

import dev.stowage.models.LayerPlacement;
import dev.stowage.schedule.Placement;
import dev.stowage.schedule.ScheduleOptions;
import java.util.List;
import java.util.Optional;

/**
 * Lays models over one machine: with the layers each device is to have, or filling the devices in order.
 *
 * @param machine the devices
 * @param layersOn how many layers each device but the last gets; empty to fill the devices in order
 * @param options how the graph is scheduled
 */
record DevicePlanner(DeviceList machine, Optional<List<Integer>> layersOn, ScheduleOptions options) {
    DevicePlan plan(ModelPasses model) {
        ModelLayers layers = ModelLayers.of(model.largest());
        if (layersOn.isEmpty()) {
            return filled(model, layers, devices());
        }
        int[] counts = layersOn.get().stream().mapToInt(Integer::intValue).toArray();
        return DevicePlan.of(model, layers, devices(), LayerPlacement.ofLayers(layers.count(), counts), options);
    }

    private List<PaperDevice> devices() {
        return machine.devices().stream().map(PaperDevice::new).toList();
    }

    /** Layers are dealt out with ggml's placement: any other keeps to the same memory, but takes longer to be found. */
    private DevicePlan filled(ModelPasses model, ModelLayers layers, List<PaperDevice> devices) {
        DevicePlan plan = new LayerFill(model, layers, devices, options.withPlacement(Placement.ggml())).fill();
        return options.placement().equals(Placement.ggml())
                ? plan
                : DevicePlan.of(model, layers, devices, plan.layers(), options);
    }

    DevicePlanner filling() {
        return new DevicePlanner(machine, Optional.empty(), options);
    }

    DevicePlanner with(ScheduleOptions newOptions) {
        return new DevicePlanner(machine, layersOn, newOptions);
    }
}
