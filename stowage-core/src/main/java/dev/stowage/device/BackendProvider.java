package dev.stowage.device;

import java.util.List;

/**
 * Provides devices of one kind: the processor, a vendor's accelerators; ggml's {@code ggml_backend_reg}. Providers are
 * found through {@link java.util.ServiceLoader} or registered in code; a {@link DeviceRegistry} asks them what there
 * is.
 *
 * <p>A missing library or missing hardware is an ordinary answer and not a failure: {@link #probe()} reports it in
 * one sentence. Providers may be used from any thread.
 */
public interface BackendProvider extends AutoCloseable {

    /** A short name in lower case, such as {@code reference} or {@code cpu}. */
    String name();

    /** The version of the provider. */
    String version();

    /** Whether there is anything to use on this machine; never throws because something is missing. */
    Availability probe();

    /**
     * The devices there are, best first; empty where {@link #probe()} says no. Asked again, it gives the same objects,
     * except that a device that was lost and is there again is a new one.
     */
    List<? extends Device> devices();

    /** Closes the devices. Closing again has no effect. */
    @Override
    default void close() {
        devices().forEach(Device::close);
    }
}
