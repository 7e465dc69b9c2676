package dev.stowage.cli.plan;

import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.PlannedDevice;
import java.util.Locale;

/**
 * A device as the command line describes it: what it is, what it is called, and how much memory it has.
 *
 * @param kind what it is
 * @param name its kind, with a number where there are several of the kind: {@code gpu0}
 * @param memory its bytes; {@link #UNLIMITED} where none were given
 */
record DeviceSpec(Kind kind, String name, long memory) {
    /** Stands for memory without a limit. */
    static final long UNLIMITED = DeviceBudget.UNLIMITED;

    enum Kind {
        /** A graphics processor with memory of its own. */
        GPU,
        /** The processor, in the machine's memory. */
        CPU;

        /** As it is written on the command line. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The device to plan for, with all of its memory. */
    DeviceBudget budget() {
        return DeviceBudget.of(
                switch (kind) {
                    case GPU -> PlannedDevice.gpu(name, memory);
                    case CPU -> PlannedDevice.cpu(name, memory);
                });
    }

    boolean isLimited() {
        return memory != UNLIMITED;
    }
}
