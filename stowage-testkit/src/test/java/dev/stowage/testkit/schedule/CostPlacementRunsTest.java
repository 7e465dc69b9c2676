package dev.stowage.testkit.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.schedule.Placement;
import dev.stowage.schedule.Schedule;
import dev.stowage.schedule.ScheduleOptions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Placement by cost on random simulated devices: what it promises, by their clock and by the numbers that come out. */
@Timeout(600)
class CostPlacementRunsTest {

    private static final int SCENARIOS = 200;
    private static final double NOT_SLOWER = 1.05;
    private static final double BETTER = 1.01;
    private static final double MEDIAN_GAIN = 1.3;

    @Test
    void isNeverMuchSlowerThanGgmlsPlacementAndMostlyFaster() {
        List<Double> gains = new ArrayList<>();
        for (long seed = 0; seed < SCENARIOS; seed++) {
            try (CostScenario scenario = new CostScenario(seed)) {
                ScheduleOptions byCost = scenario.options().withPlacement(Placement.cost(scenario.model()));
                long ggml = scenario.measure(scenario.options());
                long cost = scenario.measure(byCost);
                assertThat((double) cost).as("seed %d", seed).isLessThanOrEqualTo(ggml * NOT_SLOWER);
                if (ggml > cost * BETTER) {
                    gains.add((double) ggml / cost);
                }
            }
        }
        Collections.sort(gains);

        assertThat(gains).hasSizeGreaterThan(SCENARIOS / 2);
        assertThat(gains.get(gains.size() / 2)).isGreaterThanOrEqualTo(MEDIAN_GAIN);
    }

    @Test
    void givesTheSameNumbersAsGgmlsPlacement() {
        for (long seed = 0; seed < SCENARIOS; seed++) {
            try (CostScenario scenario = new CostScenario(seed)) {
                ScheduleOptions byCost = scenario.options().withPlacement(Placement.cost(scenario.model()));

                assertThat(scenario.results(byCost))
                        .as("seed %d", seed)
                        .isEqualTo(scenario.results(scenario.options()));
            }
        }
    }

    @Test
    void keepsToTheMemoryThatTheDevicesHave() {
        for (long seed = 0; seed < SCENARIOS; seed++) {
            try (CostScenario scenario = new CostScenario(seed)) {
                Schedule schedule =
                        scenario.schedule(scenario.options().withPlacement(Placement.cost(scenario.model())));
                for (int device = 0; device < scenario.devices().size(); device++) {
                    assertThat(schedule.computeSize(device))
                            .as("seed %d, device %d", seed, device)
                            .isLessThanOrEqualTo(
                                    scenario.devices().get(device).memory().free());
                }
            }
        }
    }
}
