package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.device.Backend;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.schedule.cost.Calibration;
import dev.stowage.schedule.cost.CostModel;
import dev.stowage.schedule.cost.WorkKind;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import dev.stowage.testkit.simulated.SimulatedDevice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Measuring simulated devices by their own clock gives the costs they were made with. */
@Timeout(300)
class CostCalibrationTest {

    private static final double ONE_PERCENT = 0.01;

    /** The clock counts whole nanoseconds, and a rate comes from two readings. */
    private static final long CLOCK_NANOS = 2;

    @Test
    void findsOutWhatNodesTake() {
        for (long seed = 0; seed < 5; seed++) {
            try (CostScenario scenario = new CostScenario(seed, false)) {
                CostModel measured = measure(scenario);
                for (SimulatedDevice device : scenario.devices()) {
                    for (Tensor node : scenario.graph().nodes()) {
                        if (device.supports(node).isSupported() && isMeasured(node)) {
                            long stated = scenario.model().nanos(device.name(), node);
                            assertThat(measured.nanos(device.name(), node))
                                    .as("seed %d, %s on %s", seed, node.describe(), device)
                                    .isCloseTo(stated, roughly(stated));
                        }
                    }
                }
            }
        }
    }

    /** What there is no sample of gets a rate that is made up from others. */
    private static boolean isMeasured(Tensor node) {
        return WorkKind.of(node.op()) != WorkKind.OTHER;
    }

    @Test
    void findsOutWhatCopiesTake() {
        for (long seed = 0; seed < 5; seed++) {
            try (CostScenario scenario = new CostScenario(seed, false)) {
                CostModel measured = measure(scenario);
                for (SimulatedDevice from : scenario.devices()) {
                    for (SimulatedDevice to : scenario.devices()) {
                        for (long bytes = 64; from != to && bytes <= 1 << 20; bytes *= 16) {
                            long stated = scenario.model()
                                    .link(from.name(), to.name())
                                    .nanos((double) bytes);
                            assertThat(measured.link(from.name(), to.name()).nanos((double) bytes))
                                    .as("seed %d, %d bytes from %s to %s", seed, bytes, from, to)
                                    .isCloseTo(stated, roughly(stated));
                        }
                    }
                }
            }
        }
    }

    @Test
    void givesBackWhatItTakes() {
        try (CostScenario scenario = new CostScenario(1)) {
            List<Long> before =
                    scenario.devices().stream().map(SimulatedDevice::openBytes).toList();
            measure(scenario);

            assertThat(scenario.devices())
                    .extracting(SimulatedDevice::openBytes)
                    .isEqualTo(before);
        }
    }

    @Test
    void measuresTheReferenceInAShortTimeAndTellsWhatItDoes() {
        List<String> lines = new ArrayList<>();
        try (Backend reference = new ReferenceProvider().devices().getFirst().open()) {
            CostModel measured = Calibration.of(List.of(reference))
                    .withBudget(Duration.ofMillis(20))
                    .withListener(lines::add)
                    .run();

            assertThat(measured.rate(reference.name(), WorkKind.MATRIX).nanosPerFlop())
                    .isPositive();
            assertThat(lines).anyMatch(line -> line.startsWith(reference.name() + " MATRIX_BY_MATRIX"));
        }
    }

    private static Offset<Long> roughly(long stated) {
        return within((long) (stated * ONE_PERCENT) + CLOCK_NANOS);
    }

    private static CostModel measure(CostScenario scenario) {
        List<Backend> backends = new ArrayList<>();
        try {
            scenario.devices().forEach(device -> backends.add(device.open()));
            return Calibration.of(backends)
                    .withWeightType(ElementType.F32)
                    .withClock(scenario.devices().getFirst().clock()::nanos)
                    .withBudget(Duration.ofMillis(5))
                    .run();
        } finally {
            backends.forEach(Backend::close);
        }
    }
}
