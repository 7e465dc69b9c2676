package dev.stowage.cpu;

import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;

/** The main class of a process whose options are tested; prints what devices there are with them, and what is missing. */
final class ListedDevices {

    private ListedDevices() {}

    public static void main(String[] args) {
        DeviceRegistry registry = DeviceRegistry.load();
        registry.providers()
                .forEach(status -> System.out.println("provider " + status.name() + ": "
                        + status.availability().reason()));
        registry.devices(DeviceType.CPU).forEach(device -> System.out.println("processor " + device.name()));
        // A second look must not complain again.
        System.out.println("devices " + DeviceRegistry.load().devices().size());
        System.out.println("own " + new CpuProvider().devices().size());
    }
}
