package dev.stowage.cli;

import dev.stowage.error.InvalidPlanException;

/**
 * What one device holds.
 *
 * @param device the device
 * @param weights the bytes of the weights that lie there
 * @param cache the bytes of the caches that lie there
 * @param compute the bytes its results take
 */
record DeviceLoad(DeviceSpec device, long weights, long cache, long compute) {
    /**
     * @throws InvalidPlanException if it holds more bytes than can be counted
     */
    DeviceLoad {
        try {
            Math.addExact(Math.addExact(weights, cache), compute);
        } catch (ArithmeticException _) {
            throw new InvalidPlanException(
                    "weights, cache and results on " + device.name() + " have more bytes than can be counted");
        }
    }

    long total() {
        return weights + cache + compute;
    }

    boolean fits() {
        return total() <= device.memory();
    }

    /** The bytes by which its memory is too small; 0 where it is not. */
    long missing() {
        return Math.max(0, total() - device.memory());
    }

    /** The bytes that are left; none are counted where there is no limit. */
    long free() {
        return device.isLimited() ? Math.max(0, device.memory() - total()) : DeviceSpec.UNLIMITED;
    }
}
