package dev.stowage.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.plan.Planner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleOptionsTest {

    private final ScheduleOptions defaults = ScheduleOptions.defaults();

    @Test
    void areWhatGgmlDoesByDefault() {
        assertThat(defaults.copies()).isEqualTo(1);
        assertThat(defaults.offloadsOps()).isFalse();
        assertThat(defaults.eventsAlways()).isFalse();
        assertThat(defaults.pipelineCopies()).isEqualTo(PipelineCopies.EVERYWHERE);
        assertThat(defaults.placement()).isSameAs(Placement.ggml());
        assertThat(defaults.placement().name()).isEqualTo("ggml");
        assertThat(defaults.planner().name()).isEqualTo(Planner.ggml().name());
    }

    @Test
    void allowForFourRunsInFlightInAPipeline() {
        assertThat(defaults.withPipeline().copies()).isEqualTo(4);
    }

    @Test
    void allowForAnyNumberOfRunsInFlight() {
        assertThat(defaults.withPipeline(17).copies()).isEqualTo(17);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
    void refuseAPipelineWithoutRuns(int copies) {
        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> defaults.withPipeline(copies))
                .withMessageContaining(Integer.toString(copies));
    }

    @Test
    void changeOneThingAtATime() {
        Planner planner = Planner.tight();

        assertThat(defaults.withPipelineCopies(PipelineCopies.WHERE_NEEDED))
                .isEqualTo(new ScheduleOptions(
                        1, PipelineCopies.WHERE_NEEDED, false, defaults.placement(), defaults.planner(), false));
        assertThat(defaults.withOffloadedOps(true))
                .isEqualTo(new ScheduleOptions(
                        1, PipelineCopies.EVERYWHERE, true, defaults.placement(), defaults.planner(), false));
        assertThat(defaults.withPlanner(planner))
                .isEqualTo(
                        new ScheduleOptions(1, PipelineCopies.EVERYWHERE, false, defaults.placement(), planner, false));
        assertThat(defaults.withPipeline(3).withPlacement(Placement.ggml()))
                .isEqualTo(new ScheduleOptions(
                        3, PipelineCopies.EVERYWHERE, false, defaults.placement(), defaults.planner(), false));
        assertThat(defaults.withEvents())
                .isEqualTo(new ScheduleOptions(
                        1, PipelineCopies.EVERYWHERE, false, defaults.placement(), defaults.planner(), true));
    }

    @Test
    void stayAsTheyWereWhenOthersAreMadeFromThem() {
        ScheduleOptions changed = defaults.withOffloadedOps(true).withPipeline(2);

        assertThat(changed.offloadsOps()).isTrue();
        assertThat(defaults.offloadsOps()).isFalse();
        assertThat(defaults.copies()).isEqualTo(1);
    }
}
