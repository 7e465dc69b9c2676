package dev.stowage.cpu;

import dev.stowage.device.Availability;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.Device;
import java.util.List;

/**
 * Brings the processor, driven by the Vector API. That is an incubator module of the JDK which has to be asked for on the
 * command line; without it this provider has no device, says which flag would help, and the reference backend serves.
 */
public final class CpuProvider implements BackendProvider {

    private static final String MODULE = "jdk.incubator.vector";

    private static final String ADVICE = "the Vector API is missing: start java with --add-modules " + MODULE
            + " for fast kernels; until then the reference backend serves as the processor";

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cpu");

    /** Made when first asked for, as it needs the vector module. */
    private static final class Devices {

        private static final List<Device> ALL = List.of(new CpuDevice());

        private Devices() {}
    }

    /** Says once per process what is missing. */
    private static final class Missing {

        static {
            LOGGER.log(System.Logger.Level.WARNING, ADVICE);
        }

        private Missing() {}

        static Availability answer() {
            return Availability.unavailable(ADVICE);
        }
    }

    /** For {@link java.util.ServiceLoader}. */
    public CpuProvider() {}

    @Override
    public String name() {
        return "cpu";
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public Availability probe() {
        return hasVectors() ? Availability.available() : Missing.answer();
    }

    @Override
    public List<Device> devices() {
        return hasVectors() ? Devices.ALL : List.of();
    }

    private static boolean hasVectors() {
        return ModuleLayer.boot().findModule(MODULE).isPresent();
    }
}
