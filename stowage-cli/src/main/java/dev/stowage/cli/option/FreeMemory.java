package dev.stowage.cli.option;

import dev.stowage.device.DeviceMemory;
import dev.stowage.reference.HostMemory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The memory of this machine that programs could take now. */
public final class FreeMemory {
    private static final Path MEMORY_INFO = Path.of("/proc/meminfo");
    private static final Pattern AVAILABLE = Pattern.compile("(?m)^MemAvailable:\\s+(\\d+) kB$");

    private FreeMemory() {}

    /**
     * Free and total memory; none where the JVM does not report it. What the system keeps of files counts as free, as it gives
     * that up when asked; only Linux reports how much that is.
     */
    public static DeviceMemory now() {
        DeviceMemory memory = HostMemory.now();
        try {
            Matcher available = AVAILABLE.matcher(Files.readString(MEMORY_INFO, StandardCharsets.UTF_8));
            long reported = available.find() ? Long.parseLong(available.group(1)) * 1024 : 0;
            // In a container the machine has more than its programs may take.
            return new DeviceMemory(Math.max(memory.free(), Math.min(reported, memory.total())), memory.total());
        } catch (IOException | NumberFormatException _) {
            return memory;
        }
    }
}
