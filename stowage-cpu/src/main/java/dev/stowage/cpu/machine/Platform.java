package dev.stowage.cpu.machine;

import java.util.Locale;
import java.util.Optional;

/** Whether machine code can be run here at all: Linux on x86-64, and access to native functions. */
final class Platform {

    private Platform() {}

    /** Why it cannot; empty where it can. */
    static Optional<String> objection() {
        String system = System.getProperty("os.name", "");
        String processor = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        if (!system.equals("Linux") || !(processor.equals("amd64") || processor.equals("x86_64"))) {
            return Optional.of(
                    "machine code is written for Linux on x86-64, and this is " + system + " on " + processor);
        }
        return Optional.empty();
    }

    static void require() {
        objection().ifPresent(reason -> {
            throw new UnsupportedOperationException(reason);
        });
    }
}
