package dev.stowage.device;

import dev.stowage.error.DeviceLostException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The state of a device that can be lost, for implementers. Once {@link #lose} has been called, every call is refused
 * with that cause. Thread-safe.
 */
public final class DeviceHealth {

    private final AtomicReference<@Nullable Throwable> loss = new AtomicReference<>();

    /** A usable device. */
    public DeviceHealth() {}

    /** Marks the device as lost; the first cause counts. */
    public void lose(Throwable cause) {
        loss.compareAndSet(null, cause);
    }

    /** Why the device is lost; empty while it is usable. */
    public Optional<Throwable> lossCause() {
        return Optional.ofNullable(loss.get());
    }

    /**
     * Checks that the device is not lost.
     *
     * @throws DeviceLostException if it is lost
     */
    public void require(String device, String call) {
        Throwable cause = loss.get();
        if (cause != null) {
            throw DeviceLostException.of(device, call, cause);
        }
    }
}
