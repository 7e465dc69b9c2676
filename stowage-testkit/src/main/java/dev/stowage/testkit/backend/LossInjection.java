package dev.stowage.testkit.backend;

import dev.stowage.device.Device;
import java.util.function.Consumer;

/**
 * Implemented by devices of tests that can be lost on purpose: each makes another device like itself, with a way to lose it.
 * For a device that does not implement this, the suite skips the checks of a lost device.
 */
@FunctionalInterface
public interface LossInjection {

    /**
     * A device, and what loses it.
     *
     * @param device the device, which no other check uses
     * @param lose loses the device, for that cause
     */
    record Subject(Device device, Consumer<Throwable> lose) {}

    /** Another device of the same kind. */
    Subject another();
}
