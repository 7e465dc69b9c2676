package dev.stowage.error;

/**
 * A device is lost: its driver has failed for good, or the connection to it is broken. Nothing can be computed or read
 * on it any more; everything else stays usable, and closing what the device held is fine. The cause is what the device
 * reported first.
 */
public final class DeviceLostException extends StowageException {

    private final String device;

    private DeviceLostException(String device, String call, Throwable cause) {
        super(
                "device '" + device + "', " + call + ": the device is lost (" + cause.getMessage()
                        + "): close what it holds, and have the registry look for devices again",
                cause);
        this.device = device;
    }

    /** A call that was made to a lost device, and why it is lost. */
    public static DeviceLostException of(String device, String call, Throwable cause) {
        return new DeviceLostException(device, call, cause);
    }

    /** The name of the device. */
    public String device() {
        return device;
    }
}
