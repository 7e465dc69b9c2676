package dev.stowage.error;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A device could not do what it was asked: a transfer or a run failed, an ability is missing. Carries which device,
 * which call and, where there is one, which tensor, so that callers can distinguish failures without parsing text.
 */
public final class DeviceException extends StowageException {

    private final String device;
    private final String call;
    private final @Nullable String tensor;

    private DeviceException(
            String device, String call, @Nullable String tensor, String what, @Nullable Throwable cause) {
        super("device '" + device + "', " + call + (tensor == null ? "" : " of " + tensor) + ": " + what);
        this.device = device;
        this.call = call;
        this.tensor = tensor;
        if (cause != null) {
            initCause(cause);
        }
    }

    /** A failure that is about no tensor in particular. */
    public static DeviceException of(String device, String call, String what) {
        return new DeviceException(device, call, null, what, null);
    }

    /** A failure about a tensor. */
    public static DeviceException of(String device, String call, String tensor, String what) {
        return new DeviceException(device, call, tensor, what, null);
    }

    /** The same failure with its cause. */
    public DeviceException because(Throwable cause) {
        initCause(cause);
        return this;
    }

    /** The name of the device. */
    public String device() {
        return device;
    }

    /** What it was asked to do, such as {@code compute} or {@code copy}. */
    public String call() {
        return call;
    }

    /** The tensor it was about, described; empty where there is none. */
    public Optional<String> tensor() {
        return Optional.ofNullable(tensor);
    }
}
