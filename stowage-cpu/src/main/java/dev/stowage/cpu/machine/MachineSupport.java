package dev.stowage.cpu.machine;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Whether this process runs machine code. It does where the processor has the instructions and the system lets memory be
 * executed; else the Vector API's kernels serve, and one line of the log says why. Nothing is asked before there is work that
 * it matters to.
 */
public final class MachineSupport {

    /** The property that switches machine code off, with the value {@code off}. */
    public static final String SWITCH = "stowage.cpu.machine-code";

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cpu");

    private static final AtomicBoolean HAS_LOGGED = new AtomicBoolean();

    private MachineSupport() {}

    /** Found out once in a process. */
    private static final class Probed {

        private static final Set<Feature> FEATURES = probe();

        private Probed() {}

        private static Set<Feature> probe() {
            if (System.getProperty(SWITCH, "").equals("off")) {
                log(SWITCH + " is off");
                return Set.of();
            }
            try {
                return Features.ofThisProcessor();
            } catch (UnsupportedOperationException e) {
                log(String.valueOf(e.getMessage()));
                return Set.of();
            }
        }
    }

    /** Whether code that uses such features can be run. */
    public static boolean has(Set<Feature> features) {
        if (Probed.FEATURES.containsAll(features)) {
            return true;
        }
        Set<Feature> missing = EnumSet.copyOf(features);
        missing.removeAll(Probed.FEATURES);
        log("the processor has no " + missing);
        return false;
    }

    /** Says why there is no machine code, once. */
    private static void log(String reason) {
        if (HAS_LOGGED.compareAndSet(false, true)) {
            LOGGER.log(System.Logger.Level.INFO, "no machine code: " + reason);
        }
    }
}
