package dev.stowage.cli.plan;

import dev.stowage.llm.fit.DeviceBudget;
import java.util.List;

/**
 * The devices of a machine that need not exist, or of servers that do, in order of priority. The last one is the processor: the tokens
 * come in there, and what no other device takes is computed there.
 */
record DeviceList(List<DeviceSpec> devices) {
    DeviceList {
        devices = List.copyOf(devices);
    }

    /** The devices to plan for, each with all of its memory. */
    List<DeviceBudget> budgets() {
        return devices.stream().flatMap(device -> device.budgets().stream()).toList();
    }
}
