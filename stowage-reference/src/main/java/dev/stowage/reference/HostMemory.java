package dev.stowage.reference;

import dev.stowage.device.DeviceMemory;
import java.lang.management.ManagementFactory;

/** The memory of the machine, which is that of every device that is its processor. */
public final class HostMemory {

    private HostMemory() {}

    /** Free and total memory now; none where the JVM does not report it. */
    public static DeviceMemory now() {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system) {
            return new DeviceMemory(system.getFreeMemorySize(), system.getTotalMemorySize());
        }
        return new DeviceMemory(0, 0);
    }
}
