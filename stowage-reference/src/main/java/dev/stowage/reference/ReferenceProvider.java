package dev.stowage.reference;

import dev.stowage.device.Availability;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.Device;
import java.util.List;

/** Provides the processor as the device of last resort: available on every machine, and able to run every op. */
public final class ReferenceProvider implements BackendProvider {

    private static final List<Device> DEVICES = List.of(new ReferenceDevice());

    /** For {@link java.util.ServiceLoader}. */
    public ReferenceProvider() {}

    @Override
    public String name() {
        return "reference";
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public Availability probe() {
        return Availability.available();
    }

    @Override
    public List<Device> devices() {
        return DEVICES;
    }
}
