package dev.stowage.cli.plan;

import dev.stowage.cli.option.RpcServers;
import dev.stowage.cli.plan.DeviceSpec.Kind;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.reference.HostMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** The devices of this machine, to plan for. */
final class LocalMachine {
    private LocalMachine() {}

    /** Graphics processors with the memory they have free, and the processor with all the memory there is. */
    static List<DeviceBudget> devices() {
        List<DeviceBudget> devices = new ArrayList<>();
        for (Device gpu : others().devices(DeviceType.GPU)) {
            devices.add(DeviceBudget.of(gpu));
        }
        long total = HostMemory.now().total();
        devices.addAll(new DeviceSpec(Kind.CPU, Kind.CPU.label(), total == 0 ? DeviceSpec.UNLIMITED : total).budgets());
        return devices;
    }

    /**
     * The devices of a server with the memory they have free.
     *
     * @throws dev.stowage.error.DeviceException if the server cannot be used
     */
    static List<DeviceBudget> devicesOfServer(String server) {
        RpcServers.add(server);
        return RpcServers.devices(server, others()).stream()
                .map(DeviceBudget::of)
                .toList();
    }

    /** The CPU provider is not queried: without the vector module, which planning does not need, it is unavailable. */
    private static DeviceRegistry others() {
        DeviceRegistry registry = DeviceRegistry.empty();
        for (BackendProvider provider : ServiceLoader.load(BackendProvider.class)) {
            if (!provider.name().equals(Kind.CPU.label())) {
                registry.register(provider);
            }
        }
        return registry;
    }
}
