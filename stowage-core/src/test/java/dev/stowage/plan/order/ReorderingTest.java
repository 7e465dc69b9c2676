package dev.stowage.plan.order;

import static dev.stowage.plan.TestTensors.keeper;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.node;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.InPlaceRules;
import dev.stowage.plan.Liveness;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.Planner;
import dev.stowage.plan.RandomGraphs;
import dev.stowage.plan.tight.InPlaceChains;
import dev.stowage.plan.tight.InPlaceChoice;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReorderingTest {

    private static final BufferType MEMORY = MeasuringBufferType.of("memory", 4);

    private final Tensor x = leaf("x", 1);
    private final Tensor largeA = large("a");
    private final Tensor largeB = large("b");
    private final Tensor smallA = node("small a", Op.MUL_MAT, 1, largeA);
    private final Tensor smallB = node("small b", Op.MUL_MAT, 1, largeB);
    private final Tensor end = node("end", Op.MUL_MAT, 1, smallA, smallB);

    private Tensor large(String name) {
        return node("large " + name, Op.MUL_MAT, 100, x);
    }

    private static Reordering reordered(Graph graph) {
        return Reordering.of(PlanRequest.of(graph, MEMORY), Planner.tight());
    }

    private static int positionOf(Reordering reordering, Tensor tensor) {
        return reordering.graph().idOf(tensor);
    }

    @Test
    void runsABranchToItsEndBeforeItBeginsTheNext() {
        Graph wide = Graph.listed(List.of(largeA, largeB, smallA, smallB, end), List.of(x));
        Reordering reordering = reordered(wide);

        assertThat(reordering.sizeBefore()).isEqualTo(804);
        assertThat(reordering.plan().size()).isEqualTo(408);
        assertThat(reordering.saved()).isEqualTo(396);
        assertThat(reordering.graph().nodes()).containsExactlyInAnyOrderElementsOf(wide.nodes());
    }

    @Test
    void saysWhichNodeRunsWhen() {
        Graph wide = Graph.listed(List.of(largeA, largeB, smallA, smallB, end), List.of(x));
        Reordering reordering = reordered(wide);
        int[] order = reordering.order();

        assertThat(IntStream.of(order).mapToObj(wide::node))
                .containsExactlyElementsOf(reordering.graph().nodes());
        assertThat(reordering.movedNodes()).isPositive();
    }

    @Test
    void leavesAnOrderThatIsGoodAsItIs() {
        Graph good = Graph.of(end);
        Reordering reordering = reordered(good);

        assertThat(reordering.graph()).isSameAs(good);
        assertThat(reordering.saved()).isZero();
        assertThat(reordering.movedNodes()).isZero();
    }

    @Test
    void computesLaterWhatIsNotNeededAtThePeak() {
        Tensor early = node("early", Op.MUL_MAT, 50, x);
        Tensor last = node("last", Op.MUL_MAT, 1, smallA, early);
        Reordering reordering = reordered(Graph.listed(List.of(early, largeA, smallA, last), List.of(x)));

        assertThat(positionOf(reordering, early)).isGreaterThan(positionOf(reordering, smallA));
        assertThat(reordering.saved()).isEqualTo(196);
    }

    @Test
    void keepsTheBufferOfEachNode() {
        Graph wide = Graph.listed(List.of(largeA, largeB, smallA, smallB, end), List.of(x));
        BufferType other = MeasuringBufferType.of("other", 4);
        PlanRequest request = PlanRequest.of(wide, List.of(MEMORY, other), new int[] {0, 0, 1, 1, 0}, new int[] {0});
        Reordering reordering = Reordering.of(request, Planner.tight());
        MemoryPlan plan = reordering.plan();

        assertThat(reordering.saved()).isPositive();
        assertThat(plan.buffer(plan.graph().idOf(smallA))).isEqualTo(1);
        assertThat(plan.buffer(plan.graph().idOf(smallB))).isEqualTo(1);
        assertThat(plan.buffer(plan.graph().idOf(largeB))).isZero();
        assertThat(PlanValidator.check(plan)).isEmpty();
    }

    @Test
    void leavesAGraphAloneInWhichANodeKeepsATensorUntilItRuns() {
        Tensor kept = keeper("kept", x);
        Graph scheduled = Graph.listed(List.of(largeA, largeB, smallA, smallB, end, kept), List.of(x));

        assertThat(reordered(scheduled).graph()).isSameAs(scheduled);
    }

    @Test
    void neverNeedsMoreOnRandomGraphsAndOftenLess() {
        int better = 0;
        for (long seed = 0; seed < 300; seed++) {
            PlanRequest request = RandomGraphs.request(RandomGraphs.graph(seed), seed);
            for (Planner planner : List.of(Planner.tight(), Planner.ggml())) {
                Reordering reordering = Reordering.of(request, planner);
                assertThat(reordering.saved()).as("seed %d", seed).isNotNegative();
                assertThat(PlanValidator.check(reordering.plan()))
                        .as("seed %d", seed)
                        .isEmpty();
                better += reordering.saved() > 0 ? 1 : 0;
            }
        }
        assertThat(better).isGreaterThan(60);
    }

    @Test
    void expectsOfAnOrderJustWhatItsPlanHasAsLowerBound() {
        for (long seed = 0; seed < 300; seed++) {
            Graph graph = RandomGraphs.graph(seed);
            PlanRequest request = PlanRequest.of(graph, MEMORY);
            int[] order = IntStream.range(0, graph.nodeCount()).toArray();
            InPlaceChains chains =
                    InPlaceChains.of(request, Liveness.of(graph), InPlaceRules.kernels(), InPlaceChoice.OLDEST);

            assertThat(new OrderCost(request, InPlaceRules.kernels()).of(order))
                    .as("seed %d", seed)
                    .isEqualTo(mostLive(chains, graph));
        }
    }

    private static long mostLive(InPlaceChains chains, Graph graph) {
        long most = 0;
        for (int time = Liveness.BEFORE; time <= graph.nodeCount(); time++) {
            long live = 0;
            for (int id = 0; id < graph.size(); id++) {
                boolean isHead = chains.isPlanned(id) && chains.head(id) == id;
                live += isHead && chains.from(id) <= time && time <= chains.to(id) ? chains.padded(id) : 0;
            }
            most = Math.max(most, live);
        }
        return most;
    }
}
