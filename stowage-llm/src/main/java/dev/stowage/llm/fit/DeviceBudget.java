package dev.stowage.llm.fit;

import dev.stowage.device.Device;
import dev.stowage.device.DeviceMemory;
import dev.stowage.error.InvalidPlanException;
import java.util.Objects;

/**
 * A device and the bytes that a model may take there.
 *
 * @param device the device; its buffer types and the ops it runs decide the plan, and it need not exist
 * @param bytes the bytes of its memory that may be taken; {@link #UNLIMITED} where there is no limit
 */
public record DeviceBudget(Device device, long bytes) {

    /** Stands for memory without a limit. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /**
     * @throws InvalidPlanException if the bytes are negative
     */
    public DeviceBudget {
        Objects.requireNonNull(device);
        if (bytes < 0) {
            throw new InvalidPlanException(
                    "the budget of device '" + device.name() + "' must be at least 0 bytes, not " + bytes);
        }
    }

    /** All that the device reports free now; no limit where it does not report how much memory it has. */
    public static DeviceBudget of(Device device) {
        DeviceMemory memory = device.memory();
        return new DeviceBudget(device, memory.total() > 0 ? memory.free() : UNLIMITED);
    }

    /** The name of the device. */
    public String name() {
        return device.name();
    }

    /** Whether there is a limit. */
    public boolean isLimited() {
        return bytes != UNLIMITED;
    }
}
