package dev.stowage.device;

/**
 * Whether a provider can be used on this machine, and if not, why.
 *
 * @param isAvailable whether there is something to use
 * @param reason why not, in one sentence for the user; empty where it is available
 */
public record Availability(boolean isAvailable, String reason) {

    private static final Availability AVAILABLE = new Availability(true, "");

    /** The provider has devices to offer. */
    public static Availability available() {
        return AVAILABLE;
    }

    /** The provider has nothing to offer here, for that reason. */
    public static Availability unavailable(String reason) {
        return new Availability(false, reason);
    }
}
