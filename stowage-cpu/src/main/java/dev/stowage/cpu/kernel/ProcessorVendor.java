package dev.stowage.cpu.kernel;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Who made the processor, for the few choices between kernels that depend on it. */
final class ProcessorVendor {

    private static final Path INFO = Path.of("/proc/cpuinfo");

    private ProcessorVendor() {}

    /** Whether the processor is known to be one of AMD's. */
    static boolean isAmd() {
        try {
            return Files.exists(INFO)
                    && Files.readAllLines(INFO).stream()
                            .anyMatch(line -> line.startsWith("vendor_id") && line.endsWith("AuthenticAMD"));
        } catch (IOException _) {
            return false;
        }
    }
}
