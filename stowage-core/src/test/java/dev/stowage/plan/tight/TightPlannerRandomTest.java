package dev.stowage.plan.tight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.InPlaceRules;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanParts;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.Planner;
import dev.stowage.plan.RandomGraphs;
import dev.stowage.plan.TightOptions;
import java.util.List;
import java.util.Random;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Plans of random graphs by the tight planner. */
class TightPlannerRandomTest {

    private static final int SEEDS = 500;

    static List<InPlaceRules> rules() {
        return List.of(InPlaceRules.kernels(), InPlaceRules.ggml(), InPlaceRules.none());
    }

    @ParameterizedTest
    @MethodSource("rules")
    void makesValidPlansThatKeepToTheRulesAndToEveryOutput(InPlaceRules rules) {
        Planner planner =
                Planner.tight(TightOptions.standard().withInPlace(rules).withSteps(1000));
        assertValid(planner, RandomGraphs::graph);
        assertValid(planner, RandomGraphs::oddGraph);
    }

    private static void assertValid(Planner planner, LongFunction<Graph> graphs) {
        for (long seed = 0; seed < SEEDS; seed++) {
            MemoryPlan plan = planner.plan(RandomGraphs.request(graphs.apply(seed), seed));
            assertThat(PlanValidator.check(plan, planner.inPlace()))
                    .as("seed %d", seed)
                    .isEmpty();
            assertThat(PlanValidator.hazards(plan)).as("seed %d", seed).isEmpty();
        }
    }

    @Test
    void makesValidPlansOfSlices() {
        try (Buffer outside = MeasuringBufferType.of("outside", 1).allocate(1 << 20)) {
            for (long seed = 0; seed < SEEDS; seed++) {
                Graph graph = RandomGraphs.graph(seed);
                Random random = new Random(seed);
                int from = random.nextInt(graph.nodeCount() + 1);
                Graph slice = graph.slice(from, random.nextInt(from, graph.nodeCount() + 1));
                for (int id = slice.nodeCount() + slice.leafCount(); id < slice.size(); id++) {
                    if (!slice.tensor(id).isView() && random.nextBoolean()) {
                        outside.place(slice.tensor(id), 0);
                    }
                }
                MemoryPlan plan = Planner.tight().plan(RandomGraphs.request(slice, seed));
                assertThat(PlanValidator.check(plan)).as("seed %d", seed).isEmpty();
            }
        }
    }

    @Test
    void needsNoMoreThanGgmlWhereGgmlKeepsAllOutputs() {
        int less = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            PlanRequest request = RandomGraphs.request(RandomGraphs.graph(seed), seed);
            MemoryPlan compatible = Planner.ggml().plan(request);
            MemoryPlan tight = Planner.tight().plan(request);
            if (keepsAllOutputs(request.graph())) {
                assertThat(tight.size()).as("seed %d", seed).isLessThanOrEqualTo(compatible.size());
                less += tight.size() < compatible.size() ? 1 : 0;
            }
        }
        assertThat(less).as("plans that need less").isGreaterThan(SEEDS / 4);
    }

    private static boolean keepsAllOutputs(Graph graph) {
        return graph.outputs().stream()
                .noneMatch(output -> output.isView()
                        && !output.viewSource().isOutput()
                        && !output.viewSource().isWeight());
    }

    @Test
    void needsJustWhatIsLiveAtOnceInNearlyAllOfThem() {
        int perfect = 0;
        int all = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Graph graph = RandomGraphs.graph(seed);
            MemoryPlan plan = Planner.tight().plan(PlanRequest.of(graph, MeasuringBufferType.of("memory", 16)));
            if (keepsAllOutputs(graph)) {
                all++;
                perfect += plan.size() == plan.analysis().lowerBound() ? 1 : 0;
            }
        }
        assertThat(perfect).as("of %d", all).isGreaterThan(all * 9 / 10);
    }

    @Test
    void makesTheSamePlanForTheSameRequest() {
        for (long seed = 0; seed < 50; seed++) {
            PlanRequest request = RandomGraphs.request(RandomGraphs.graph(seed), seed);
            assertThat(PlanParts.lines(Planner.tight().plan(request)))
                    .as("seed %d", seed)
                    .isEqualTo(PlanParts.lines(Planner.tight().plan(request)));
        }
    }
}
