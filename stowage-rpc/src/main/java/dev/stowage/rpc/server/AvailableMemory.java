package dev.stowage.rpc.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory that this machine could give to a process now, where the system says so. Host memory is touched when it is
 * allocated; a process that touches more than there is does not get an error, it is ended.
 */
final class AvailableMemory {

    private static final Path MEMORY_INFO = Path.of("/proc/meminfo");
    private static final Pattern AVAILABLE = Pattern.compile("MemAvailable:\\s+(\\d+) kB");

    private AvailableMemory() {}

    /** The bytes that could be taken now, what the system keeps of files among them; no limit where it is not known. */
    static long bytes() {
        try {
            Matcher available = AVAILABLE.matcher(Files.readString(MEMORY_INFO));
            return available.find() ? Long.parseLong(available.group(1)) * 1024 : Long.MAX_VALUE;
        } catch (IOException | NumberFormatException _) {
            return Long.MAX_VALUE;
        }
    }
}
