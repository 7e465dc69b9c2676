package dev.stowage.rpc.client;

import dev.stowage.error.DeviceException;
import java.util.Locale;

/**
 * Whether a server is asked for weights that it has kept from earlier before they are sent. It cannot be asked whether it
 * keeps any; to ask for a weight, all its bytes have to be hashed.
 */
public enum CacheUse {
    /** Until it does not have one: a server that keeps weights has all of a model or none. */
    AUTO,
    /** For every weight that servers keep. */
    ALWAYS,
    /** Never, and it is told to keep none where the protocol can say so. */
    NEVER;

    /**
     * The constant with that name, in any case.
     *
     * @throws DeviceException if there is none
     */
    public static CacheUse named(String name) {
        for (CacheUse each : values()) {
            if (each.name().equalsIgnoreCase(name)) {
                return each;
            }
        }
        throw DeviceException.of("rpc", "cache", "'" + name + "' is not one of auto, always and never");
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
