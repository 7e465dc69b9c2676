package dev.stowage.cli.option;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Devices that the user names, for a model to run on. */
public final class NamedDevices {
    private NamedDevices() {}

    /**
     * The devices of these names. A CPU that is not named is used only for what the others cannot hold or compute.
     *
     * @throws ParameterException if one is named twice
     * @throws dev.stowage.error.DeviceException if there is no such device
     */
    public static List<Device> of(List<String> names, CommandSpec spec) {
        DeviceRegistry registry = registry(names);
        List<Device> named = named(names, registry, spec);
        // A model gets the CPU itself where a single device is named and does not suffice.
        if (named.size() > 1 && named.getLast().type() != DeviceType.CPU) {
            registry.devices(DeviceType.CPU).stream()
                    .filter(device -> !named.contains(device))
                    .findFirst()
                    .ifPresent(named::add);
        }
        return named;
    }

    /** As {@link #of}, without a CPU that is not named. */
    public static List<Device> exactly(List<String> names, CommandSpec spec) {
        return named(names, registry(names), spec);
    }

    private static DeviceRegistry registry(List<String> names) {
        names.stream().map(String::strip).filter(RpcServers::isServer).forEach(RpcServers::add);
        return DeviceRegistry.load();
    }

    private static List<Device> named(List<String> names, DeviceRegistry registry, CommandSpec spec) {
        List<Device> named = new ArrayList<>();
        for (String name : names) {
            for (Device device : RpcServers.devices(name.strip(), registry)) {
                if (named.contains(device)) {
                    throw new ParameterException(spec.commandLine(), "--device names '" + device.name() + "' twice");
                }
                named.add(device);
            }
        }
        return named;
    }
}
