package dev.stowage.cli.option;

import dev.stowage.cli.text.ByteSize;
import dev.stowage.device.DeviceMemory;
import dev.stowage.device.DeviceType;
import dev.stowage.error.AllocationException;
import dev.stowage.llm.fit.DeviceLoad;
import dev.stowage.llm.fit.DevicePlan;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Whether a model that is about to be loaded has room: on every device in what is free there now, and in the memory of this
 * machine together with what the process itself takes. A model without room is refused before anything is loaded, rather than
 * slowed down, or killed by the system halfway.
 */
public final class RoomCheck {

    /** The option that leaves the check out. */
    public static final String OPTION = "--no-check";

    private final Supplier<DeviceMemory> host;
    private final long overhead;

    /**
     * @param host the memory of this machine, free and total
     * @param overhead what the process takes beside the model
     */
    RoomCheck(Supplier<DeviceMemory> host, long overhead) {
        this.host = host;
        this.overhead = overhead;
    }

    /**
     * Checks a plan.
     *
     * @param name the model, for the message
     * @throws AllocationException if a device lacks memory; the message says how much is needed and free, and what to do
     */
    void require(DevicePlan plan, String name) {
        List<String> lacks = new ArrayList<>();
        DeviceMemory machine = host.get();
        long onHost = overhead;
        for (DeviceLoad load : plan.loads()) {
            if (load.budget().device().type() == DeviceType.CPU) {
                onHost += load.total();
            } else if (!load.fits()) {
                lacks.add(load.name() + " needs " + ByteSize.format(load.total()) + " and has "
                        + ByteSize.format(load.budget().bytes()) + " free");
            }
        }
        if (machine.total() > 0 && onHost > machine.free()) {
            lacks.add("this machine needs " + ByteSize.format(onHost) + " with " + ByteSize.format(overhead)
                    + " for the process itself, and has " + ByteSize.format(machine.free()) + " free of "
                    + ByteSize.format(machine.total()));
        }
        if (!lacks.isEmpty()) {
            throw new AllocationException(
                    "there is no room for " + name + ": " + String.join("; ", lacks)
                            + ". 'stowage plan' with the same options shows what would help, such as a smaller --ctx; "
                            + OPTION
                            + " runs it all the same",
                    "",
                    onHost,
                    machine.free());
        }
    }
}
