package dev.stowage.cli.plan;

import dev.stowage.cli.plan.DeviceSpec.Kind;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.Device;
import dev.stowage.device.DeviceRegistry;
import dev.stowage.device.DeviceType;
import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.reference.HostMemory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The devices of this machine, to plan for. */
final class LocalMachine {
    private static final Path MEMORY_INFO = Path.of("/proc/meminfo");
    private static final Pattern AVAILABLE = Pattern.compile("(?m)^MemAvailable:\\s+(\\d+) kB$");

    private LocalMachine() {}

    /** Graphics processors with the memory they have free, and the processor with all the memory there is. */
    static List<DeviceBudget> devices() {
        List<DeviceBudget> devices = new ArrayList<>();
        for (Device gpu : others().devices(DeviceType.GPU)) {
            devices.add(DeviceBudget.of(gpu));
        }
        long total = HostMemory.now().total();
        devices.add(new DeviceSpec(Kind.CPU, Kind.CPU.label(), total == 0 ? DeviceSpec.UNLIMITED : total).budget());
        return devices;
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

    /**
     * The bytes that programs could take now. What the system keeps of files counts, as it gives that up when asked; only
     * Linux reports how much that is.
     */
    static long freeNow() {
        long free = HostMemory.now().free();
        try {
            Matcher available = AVAILABLE.matcher(Files.readString(MEMORY_INFO, StandardCharsets.UTF_8));
            long reported = available.find() ? Long.parseLong(available.group(1)) * 1024 : 0;
            return Math.max(free, Math.min(reported, HostMemory.now().total()));
        } catch (IOException | NumberFormatException _) {
            return free;
        }
    }
}
