package dev.stowage.cli.plan;

import dev.stowage.llm.fit.DeviceBudget;
import dev.stowage.llm.fit.PlannedDevice;
import java.util.List;
import java.util.Locale;

/**
 * A device as the command line describes it: what it is, what it is called, and how much memory it has.
 *
 * @param kind what it is
 * @param name its kind, with a number where there are several of the kind: {@code gpu0}; the address of a server
 * @param memory its bytes; {@link #UNLIMITED} where none were given
 */
record DeviceSpec(Kind kind, String name, long memory) {
    /** Stands for memory without a limit. */
    static final long UNLIMITED = DeviceBudget.UNLIMITED;

    enum Kind {
        /** A graphics processor with memory of its own. */
        GPU,
        /** All devices of a server, with the memory that they have free. */
        RPC,
        /** The processor, in the machine's memory. */
        CPU;

        /** As it is written on the command line. */
        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The devices to plan for, each with all of its memory: one, or those of a server, which is asked.
     *
     * @throws dev.stowage.error.DeviceException if the server cannot be used
     */
    List<DeviceBudget> budgets() {
        return switch (kind) {
            case GPU -> List.of(DeviceBudget.of(PlannedDevice.gpu(name, memory)));
            case RPC -> LocalMachine.devicesOfServer(name);
            case CPU -> List.of(DeviceBudget.of(PlannedDevice.cpu(name, memory)));
        };
    }

    boolean isLimited() {
        return memory != UNLIMITED;
    }
}
