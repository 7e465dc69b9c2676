package dev.stowage.cpu;

import dev.stowage.device.DeviceMemory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import jdk.incubator.vector.FloatVector;

/** What the machine's processor is: model, cores, vectors, memory. */
final class Processor {

    private static final Path INFO = Path.of("/proc/cpuinfo");

    private static final List<String> LINES = lines();

    private Processor() {}

    /** Model, cores and width of the vectors in use, for people. */
    static String description() {
        int cores = physicalCores();
        return model() + ", " + cores + (cores == 1 ? " core, " : " cores, ")
                + FloatVector.SPECIES_PREFERRED.vectorBitSize() + "-bit vectors";
    }

    /** The number of cores, counting those that run two threads once; never more than the process may use. */
    static int physicalCores() {
        int available = Runtime.getRuntime().availableProcessors();
        Set<String> cores = new HashSet<>();
        String socket = "";
        for (String line : LINES) {
            if (line.startsWith("physical id")) {
                socket = value(line);
            } else if (line.startsWith("core id")) {
                cores.add(socket + ":" + value(line));
            }
        }
        return cores.isEmpty() ? available : Math.min(available, cores.size());
    }

    static DeviceMemory memory() {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system) {
            return new DeviceMemory(system.getFreeMemorySize(), system.getTotalMemorySize());
        }
        return new DeviceMemory(0, 0);
    }

    private static String model() {
        return LINES.stream()
                .filter(line -> line.startsWith("model name"))
                .map(Processor::value)
                .findFirst()
                .orElseGet(() -> System.getProperty("os.arch") + " processor");
    }

    private static String value(String line) {
        return line.substring(line.indexOf(':') + 1).strip();
    }

    private static List<String> lines() {
        try {
            return Files.exists(INFO) ? Files.readAllLines(INFO) : List.of();
        } catch (IOException _) {
            return List.of();
        }
    }
}
