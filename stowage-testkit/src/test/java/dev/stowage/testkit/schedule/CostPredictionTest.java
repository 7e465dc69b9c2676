package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stowage.schedule.Placement;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What is predicted, against the clock of simulated devices that run it. The two count in whole nanoseconds, and a copy
 * that goes over the host is one copy for the one and two for the other, so each copy may be off by one.
 */
@Timeout(300)
class CostPredictionTest {

    private static final int SCENARIOS = 100;

    @Test
    void runsTakeWhatIsPredictedAsGgmlPlacesThem() {
        for (long seed = 0; seed < SCENARIOS; seed++) {
            try (CostScenario scenario = new CostScenario(seed)) {
                requireAgreement(seed, scenario, scenario.options());
            }
        }
    }

    @Test
    void runsTakeWhatIsPredictedAsPlacedByCost() {
        for (long seed = 0; seed < SCENARIOS; seed++) {
            try (CostScenario scenario = new CostScenario(seed)) {
                requireAgreement(seed, scenario, scenario.options().withPlacement(Placement.cost(scenario.model())));
            }
        }
    }

    private static void requireAgreement(long seed, CostScenario scenario, ScheduleOptions options) {
        Schedule schedule = scenario.schedule(options);

        assertThat(schedule.predictedNanos(scenario.model()))
                .as("seed %d", seed)
                .isCloseTo(scenario.measure(options), within(schedule.inputCopyCount() + 1L));
    }
}
