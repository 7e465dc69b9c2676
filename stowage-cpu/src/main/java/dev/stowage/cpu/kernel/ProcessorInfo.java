package dev.stowage.cpu.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What the operating system reports about the processor: a human-readable model, and the facts that a few choices of
 * kernels depend on.
 */
public final class ProcessorInfo {

    private static final Path FILE = Path.of("/proc/cpuinfo");

    private static final List<String> LINES = read();

    private ProcessorInfo() {}

    /** Keys and values, a line each; nothing where the system has no such file. */
    public static List<String> lines() {
        return LINES;
    }

    /** Whether the processor is known to be one of AMD's. */
    public static boolean isAmd() {
        return LINES.stream().anyMatch(line -> line.startsWith("vendor_id") && line.endsWith("AuthenticAMD"));
    }

    private static List<String> read() {
        try {
            return Files.exists(FILE) ? Files.readAllLines(FILE) : List.of();
        } catch (IOException _) {
            return List.of();
        }
    }
}
