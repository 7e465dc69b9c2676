package dev.stowage.cpu;

import dev.stowage.device.Availability;
import dev.stowage.device.BackendProvider;
import dev.stowage.device.Device;
import java.util.List;

/**
 * Provides the processor as a device with Vector API kernels. The Vector API is an incubator module, which must be
 * added on the command line, and some JVM flags make it slow or unusable; then this provider has no device, names the
 * flag to change, and the reference backend is used instead.
 */
public final class CpuProvider implements BackendProvider {

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cpu");

    /** Made when first asked for, as it needs the vector module. */
    private static final class Devices {

        private static final List<Device> ALL = List.of(new CpuDevice());

        private Devices() {}
    }

    /** The probe runs once per process, and once is said what is missing. */
    private static final class Probed {

        private static final Availability ANSWER =
                CpuProbe.objection().map(Probed::unavailable).orElseGet(Availability::available);

        private Probed() {}

        private static Availability unavailable(String objection) {
            String reason = objection + "; until then the reference backend is used for the processor";
            LOGGER.log(System.Logger.Level.WARNING, reason);
            return Availability.unavailable(reason);
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
        return Probed.ANSWER;
    }

    @Override
    public List<Device> devices() {
        return probe().isAvailable() ? Devices.ALL : List.of();
    }
}
