package dev.stowage.llm;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import dev.stowage.error.DeviceException;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DevicePlanner;
import java.util.ArrayList;
import java.util.List;

/** The devices a model runs on, and the planner that decides which of its layers each gets. */
final class ModelDevices {

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
     * Plans with all the memory that the devices report free, and with the layers asked for or as many as fit.
     *
     * @throws dev.stowage.error.InvalidPlanException if layers are not given for every device but the last
     */
    static DevicePlanner planner(List<Device> devices, ModelOptions options) {
        DevicePlanner planner = DevicePlanner.over(
                        devices.stream().map(DeviceBudget::of).toList())
                .withOptions(options.schedule());
        return options.layersOn().isEmpty() ? planner : planner.withLayersOn(options.layersOn());
    }
}
