package dev.stowage.llm.fit;

import dev.stowage.error.InvalidPlanException;

/**
 * What a model takes on one device.
 *
 * @param budget the device, and what may be taken there
 * @param weights the bytes of the weights
 * @param cache the bytes of the KV cache
 * @param compute the bytes of the compute buffer, which holds results
 */
public record DeviceLoad(DeviceBudget budget, long weights, long cache, long compute) {
    /**
     * @throws InvalidPlanException if it holds more bytes than can be counted
     */
    public DeviceLoad {
        try {
            Math.addExact(Math.addExact(weights, cache), compute);
        } catch (ArithmeticException _) {
            throw new InvalidPlanException(
                    "weights, cache and results on " + budget.name() + " have more bytes than can be counted");
        }
    }

    /** The name of the device. */
    public String name() {
        return budget.name();
    }

    /** All bytes that are taken. */
    public long total() {
        return weights + cache + compute;
    }

    /** Whether the device has room for all of them. */
    public boolean fits() {
        return total() <= budget.bytes();
    }

    /** The bytes by which its memory is too small; 0 where it is not. */
    public long missing() {
        return Math.max(0, total() - budget.bytes());
    }

    /** The bytes that are left; {@link DeviceBudget#UNLIMITED} where there is no limit. */
    public long free() {
        return budget.isLimited() ? Math.max(0, budget.bytes() - total()) : DeviceBudget.UNLIMITED;
    }
}
