package dev.stowage.cpu;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.VMOption;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/**
 * A flag of the running JVM, such as {@code UseFMA}: what the kernels rely on can be read from a few of them, at once and
 * without a measurement.
 *
 * @param value its value as text
 * @param isGiven whether it was given on the command line; else the JVM chose the value itself
 */
record VmFlag(String value, boolean isGiven) {

    /** The flag of that name; empty where the JVM does not have it, or is not HotSpot. */
    static Optional<VmFlag> find(String name) {
        try {
            return Optional.ofNullable(ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class))
                    .map(bean -> of(bean.getVMOption(name)));
        } catch (IllegalArgumentException | LinkageError _) {
            // There is no such flag, or the runtime image has no management interface of HotSpot.
            return Optional.empty();
        }
    }

    private static VmFlag of(VMOption option) {
        boolean isChosen = switch (option.getOrigin()) {
            case DEFAULT, ERGONOMIC -> true;
            default -> false;
        };
        return new VmFlag(option.getValue(), !isChosen);
    }
}
