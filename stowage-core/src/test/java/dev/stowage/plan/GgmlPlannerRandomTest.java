package dev.stowage.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.memory.Buffer;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Plans of random graphs: compared with {@link NaiveGgmlPlanner}, and validated. */
class GgmlPlannerRandomTest {

    private static final int SEEDS = 500;

    private static void assertPlannedByTheRules(PlanRequest request, long seed) {
        MemoryPlan plan = Planner.ggml().plan(request);

        assertThat(PlanParts.lines(plan))
                .as("seed %d", seed)
                .isEqualTo(PlanParts.lines(new NaiveGgmlPlanner(request).plan()));
    }

    private static void assertValid(PlanRequest request, long seed) {
        assertThat(PlanValidator.check(Planner.ggml().plan(request)))
                .as("seed %d", seed)
                .isEmpty();
    }

    @Test
    void plansAsTheRulesSay() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertPlannedByTheRules(RandomGraphs.request(RandomGraphs.graph(seed), seed), seed);
        }
    }

    @Test
    void makesValidPlansEvenWhereTheRulesMakeNone() {
        int wrongByTheRules = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            PlanRequest request = RandomGraphs.request(RandomGraphs.oddGraph(seed), seed);

            assertValid(request, seed);
            MemoryPlan byTheRules = new NaiveGgmlPlanner(request).plan();
            wrongByTheRules += PlanValidator.check(byTheRules).isEmpty() ? 0 : 1;
        }
        assertThat(wrongByTheRules).as("graphs that show a difference").isGreaterThan(SEEDS / 10);
    }

    /** Some of the nodes of a graph, with what they read from outside in a buffer of its own. */
    private static Graph slice(Graph graph, long seed, Buffer outside) {
        Random random = new Random(seed);
        int from = random.nextInt(graph.nodeCount() + 1);
        int to = random.nextInt(from, graph.nodeCount() + 1);
        Graph slice = graph.slice(from, to);
        for (int id = slice.nodeCount() + slice.leafCount(); id < slice.size(); id++) {
            if (!slice.tensor(id).isView()) {
                outside.place(slice.tensor(id), 0);
            }
        }
        return slice;
    }

    @Test
    void plansSlicesAsTheRulesSayWhereTheyReadNoViewFromOutside() {
        int compared = 0;
        try (Buffer outside = MeasuringBufferType.of("outside", 1).allocate(1 << 20)) {
            for (long seed = 0; seed < 2 * SEEDS; seed++) {
                Graph slice = slice(RandomGraphs.graph(seed), seed, outside);
                if (!slice.hasViewsAsLeaves()) {
                    assertPlannedByTheRules(RandomGraphs.request(slice, seed), seed);
                    compared += slice.size() > slice.nodeCount() + slice.leafCount() ? 1 : 0;
                }
            }
        }
        assertThat(compared).as("slices that read from outside").isGreaterThan(SEEDS / 10);
    }

    @Test
    void makesValidPlansOfSlices() {
        int withViews = 0;
        try (Buffer outside = MeasuringBufferType.of("outside", 1).allocate(1 << 20)) {
            for (long seed = 0; seed < SEEDS; seed++) {
                Graph slice = slice(RandomGraphs.graph(seed), seed, outside);
                assertValid(RandomGraphs.request(slice, seed), seed);
                assertValid(RandomGraphs.request(slice(RandomGraphs.oddGraph(seed), seed, outside), seed), seed);
                withViews += slice.hasViewsAsLeaves() ? 1 : 0;
            }
        }
        assertThat(withViews).as("slices that read a view from outside").isGreaterThan(SEEDS / 10);
    }

    @Test
    void makesValidPlans() {
        for (long seed = 0; seed < 2 * SEEDS; seed++) {
            assertValid(RandomGraphs.request(RandomGraphs.graph(seed), seed), seed);
        }
    }

    /** The same nodes in a random order that runs each after those it reads. */
    private static Graph reordered(Graph graph, Random random) {
        List<Integer> order = new ArrayList<>();
        List<Integer> left =
                new ArrayList<>(IntStream.range(0, graph.nodeCount()).boxed().toList());
        while (!left.isEmpty()) {
            List<Integer> ready = left.stream()
                    .filter(node -> IntStream.range(graph.firstSlot(node), graph.endSlot(node))
                            .map(graph::sourceAt)
                            .noneMatch(source -> source != node && left.contains(source)))
                    .toList();
            Integer next = ready.get(random.nextInt(ready.size()));
            order.add(next);
            left.remove((Object) next);
        }
        return graph.inOrder(order.stream().mapToInt(node -> node).toArray());
    }

    @Test
    void makesValidPlansInAnyOrderOfTheNodes() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Graph graph = reordered(RandomGraphs.graph(seed), new Random(seed));

            assertValid(RandomGraphs.request(graph, seed), seed);
        }
    }

    @Test
    void plansABoundGraphAsItPlannedItBefore() {
        MeasuringBufferType memory = MeasuringBufferType.of("memory", 16);
        for (long seed = 0; seed < 50; seed++) {
            Graph graph = RandomGraphs.graph(seed);
            try (GraphAllocator allocator = GraphAllocator.on(memory);
                    Buffer weights = memory.allocate(1 << 20)) {
                graph.leaves().stream().filter(Tensor::isWeight).forEach(weight -> weights.place(weight, 0));
                MemoryPlan before = allocator.bind(graph).plan().orElseThrow();

                assertThat(PlanParts.lines(allocator.measure(graph)))
                        .as("seed %d", seed)
                        .isEqualTo(PlanParts.lines(before));
            }
        }
    }

    @Test
    void plansHundredThousandsOfTensorsThatLiveTogether() {
        int count = 200_000;
        Tensor x = TestTensors.leaf("x", 4);
        Tensor[] wide = new Tensor[count];
        for (int i = 0; i < count; i++) {
            wide[i] = TestTensors.cont("wide", 1 + i % 7, x);
        }
        Tensor[] readers = new Tensor[count];
        for (int i = 0; i < count; i++) {
            // Every other one first, so that there are as many holes as possible.
            readers[i] = TestTensors.cont("reader", 1, wide[i < count / 2 ? 2 * i : 2 * i - count + 1]);
        }
        List<Tensor> nodes = new ArrayList<>(List.of(wide));
        nodes.addAll(List.of(readers));
        Graph graph = Graph.listed(nodes, List.of(x));

        assertThat(PlanValidator.check(Planner.ggml().plan(PlanRequest.of(graph, MeasuringBufferType.of("memory", 4)))))
                .isEmpty();
    }

    @Test
    void makesTheSamePlanForTheSameRequest() {
        for (long seed = 0; seed < 50; seed++) {
            PlanRequest request = RandomGraphs.request(RandomGraphs.graph(seed), seed);

            assertThat(PlanParts.lines(Planner.ggml().plan(request)))
                    .as("seed %d", seed)
                    .isEqualTo(PlanParts.lines(Planner.ggml().plan(request)));
        }
    }
}
