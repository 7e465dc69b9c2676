package dev.stowage.cpu.machine;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * Whether this process runs machine code. It does where the processor has the instructions and the system lets memory be
 * executed; else the Vector API's kernels serve, and one line of the log says why. Nothing is asked before there is work that
 * it matters to.
 */
public final class MachineSupport {

    /**
     * The property that limits what is used of the processor: {@code off} for no machine code, {@code avx2}, {@code avx-vnni},
     * {@code avx512}, which is the default, or {@code amx}.
     */
    public static final String SWITCH = "stowage.cpu.machine-code";

    private static final System.Logger LOGGER = System.getLogger("dev.stowage.cpu");

    private static final AtomicBoolean HAS_LOGGED = new AtomicBoolean();

    private MachineSupport() {}

    /** Found out once in a process. */
    private static final class Probed {

        private static final Set<Feature> FEATURES = probe();

        private Probed() {}

        private static Set<Feature> probe() {
            FeatureLimit limit = limit(System.getProperty(SWITCH, FeatureLimit.AVX512.text()));
            if (limit == FeatureLimit.OFF) {
                log(SWITCH + " is off");
                return Set.of();
            }
            try {
                return limit.of(limit == FeatureLimit.AMX ? withMatrices() : Features.ofThisProcessor());
            } catch (UnsupportedOperationException e) {
                log(String.valueOf(e.getMessage()));
                return Set.of();
            }
        }
    }

    private static Set<Feature> withMatrices() {
        Set<Feature> features = Features.includingAmx();
        if (features.stream().noneMatch(Feature::isAmx)) {
            LOGGER.log(
                    System.Logger.Level.INFO,
                    SWITCH
                            + " is amx, but the processor has no matrices, or the system does not grant them: vectors serve");
        }
        return features;
    }

    private static FeatureLimit limit(String text) {
        return FeatureLimit.of(text).orElseGet(() -> {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "%s is %s, which is none of %s: it is ignored".formatted(SWITCH, text, FeatureLimit.texts()));
            return FeatureLimit.AVX512;
        });
    }

    /**
     * The first of some kinds of code that can be run.
     *
     * @param kinds the best first
     * @param features what each of them uses
     */
    public static <T> Optional<T> best(List<T> kinds, Function<T, Set<Feature>> features) {
        Optional<T> best = bestIfAny(kinds, features);
        if (best.isPresent()) {
            return best;
        }
        Set<Feature> missing = EnumSet.copyOf(features.apply(kinds.getLast()));
        missing.removeAll(Probed.FEATURES);
        log("the processor has no " + missing);
        return Optional.empty();
    }

    /** As {@link #best} of code that other machine code serves for as well: it is not worth a line of the log. */
    public static <T> Optional<T> bestIfAny(List<T> kinds, Function<T, Set<Feature>> features) {
        return kinds.stream()
                .filter(kind -> Probed.FEATURES.containsAll(features.apply(kind)))
                .findFirst();
    }

    /** Says why there is no machine code, once. */
    private static void log(String reason) {
        if (HAS_LOGGED.compareAndSet(false, true)) {
            LOGGER.log(System.Logger.Level.INFO, "no machine code: " + reason);
        }
    }
}
