package dev.stowage.llm;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import dev.stowage.error.DeviceException;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.DevicePlanner;
import dev.stowage.llm.fit.Workload;
import java.util.ArrayList;
import java.util.List;

/** The devices a model runs on, and the planner that decides which of its layers each gets. */
final class ModelDevices {

    private ModelDevices() {}

    /**
     * The devices that a model may run on: those the options name, or the graphics processors of the machine, and a
     * processor last.
     */
    static List<Device> candidates(ModelOptions options) {
        List<Device> named = options.devices();
        if (!named.isEmpty() && !needsProcessor(options)) {
            return named;
        }
        DeviceRegistry registry = DeviceRegistry.load();
        List<Device> devices = new ArrayList<>(named.isEmpty() ? registry.devices(DeviceType.GPU) : named);
        registry.devices(DeviceType.CPU).stream().findFirst().ifPresent(devices::add);
        if (devices.isEmpty()) {
            throw DeviceException.of(
                    "cpu", "lookup", "there is none: put stowage-cpu or stowage-reference on the path");
        }
        return devices;
    }

    /**
     * Whether a processor is added to the devices that are named: to a single one, for what it cannot hold or compute, and
     * where layers are given for each of them.
     */
    private static boolean needsProcessor(ModelOptions options) {
        List<Device> named = options.devices();
        if (named.getLast().type() == DeviceType.CPU) {
            return false;
        }
        return options.layersOn().isEmpty()
                ? named.size() == 1
                : options.layersOn().size() == named.size();
    }

    /** The same, once their drivers are ready: the first question about memory may take longer than reading a file's head. */
    static List<Device> readyCandidates(ModelOptions options) {
        List<Device> devices = candidates(options);
        devices.forEach(Device::memory);
        return devices;
    }

    /**
     * The planner over the devices that a model runs on. A processor that was not named is left out where the first device
     * has room for the whole model, and ops are not offloaded where a device has too little memory for that.
     */
    static DevicePlanner planner(List<Device> candidates, ModelOptions options, Workload workload) {
        DevicePlanner planner = planner(candidates, options);
        if (options.gpuLayers() != ModelOptions.AS_MANY_AS_FIT) {
            planner = planner.withGpuLayers(options.gpuLayers(), workload);
        }
        boolean isAdded = options.devices().isEmpty() || needsProcessor(options);
        return (isAdded ? planner.onFirstAlone(workload) : planner).offloadingWhereItFits(workload);
    }

    /**
     * Plans with all the memory that the devices report free, and with the layers asked for or as many as fit.
     *
     * @throws dev.stowage.error.InvalidPlanException if layers are not given for every device but the last
     */
    private static DevicePlanner planner(List<Device> devices, ModelOptions options) {
        DevicePlanner planner = DevicePlanner.over(
                        devices.stream().map(DeviceBudget::of).toList())
                .withOptions(options.schedule());
        return options.layersOn().isEmpty() ? planner : planner.withLayersOn(options.layersOn());
    }
}
