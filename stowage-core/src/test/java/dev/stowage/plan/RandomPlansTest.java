package dev.stowage.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import org.junit.jupiter.api.Test;

/** What holds for every plan, tried on ten thousand graphs and kinds of memory. */
class RandomPlansTest {

    private static final int SEEDS = 10_000;

    @Test
    void everyPlanKeepsTheRules() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Graph graph = RandomGraphs.graph(seed);
            MemoryPlan plan = Planner.ggml().plan(RandomGraphs.request(graph, seed));

            assertThat(PlanValidator.check(plan)).as("seed %d", seed).isEmpty();
            assertThat(plan.size())
                    .as("seed %d: no plan is smaller than what is live at once", seed)
                    .isGreaterThanOrEqualTo(plan.analysis().lowerBound());
        }
    }

    @Test
    void aPlanComesBackFromJsonAsItWas() {
        for (long seed = 0; seed < SEEDS / 20; seed++) {
            Graph graph = RandomGraphs.graph(seed);
            MemoryPlan plan = Planner.ggml().plan(RandomGraphs.request(graph, seed));

            MemoryPlan read = MemoryPlan.fromJson(plan.toJson(), plan.request());

            assertThat(read.toJson()).as("seed %d", seed).isEqualTo(plan.toJson());
        }
    }
}
