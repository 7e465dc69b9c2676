package dev.stowage.testkit.backend;

import dev.stowage.device.Device;
import java.util.function.Consumer;

/**
 * How the suite gets a device that it may lose: {@linkplain Device#extension an extension} of a device that makes
 * another one like itself, with a way to lose it. Where there is none, what a lost device must do is not checked.
 */
@FunctionalInterface
public interface LossInjection {

    /**
     * A device, and what loses it.
     *
     * @param device the device, which has no other user
     * @param lose loses the device, for that cause
     */
    record Subject(Device device, Consumer<Throwable> lose) {}

    /** Another device of the same kind. */
    Subject another();
}
