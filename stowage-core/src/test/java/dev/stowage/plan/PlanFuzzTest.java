package dev.stowage.plan;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A few thousand graphs of {@link PlanFuzz}: planners, validator and simulator agree. */
class PlanFuzzTest {

    private static final int GRAPHS = 4_000;
    private static final int MUTANTS_PER_GRAPH = 5;

    @Test
    void plansAreGoodAndNoBadOneIsMissed() {
        PlanFuzz fuzz = new PlanFuzz(MUTANTS_PER_GRAPH);
        for (long seed = 0; seed < GRAPHS; seed++) {
            fuzz.run(seed);
        }

        assertThat(fuzz.failures()).isEmpty();
        for (PlanSimulator.Kind kind : PlanSimulator.Kind.values()) {
            assertThat(fuzz.faults(kind)).as("mutants that go wrong: %s", kind).isGreaterThan(GRAPHS / 40);
        }
        assertThat(fuzz.acceptedMutants()).as("mutants that are good plans").isGreaterThan(GRAPHS / 10);
    }
}
