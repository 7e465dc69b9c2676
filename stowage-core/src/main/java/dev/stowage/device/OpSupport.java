package dev.stowage.device;

/**
 * A device's answer to whether it can run a node, with the reason where it cannot.
 *
 * @param isSupported whether it can
 * @param reason why not, human-readable; empty where it can
 */
public record OpSupport(boolean isSupported, String reason) {

    private static final OpSupport YES = new OpSupport(true, "");

    /** The device can run it. */
    public static OpSupport yes() {
        return YES;
    }

    /** The device cannot run it, for that reason. */
    public static OpSupport no(String reason) {
        return new OpSupport(false, reason);
    }
}
