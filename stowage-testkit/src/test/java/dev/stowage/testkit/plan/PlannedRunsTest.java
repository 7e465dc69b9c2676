package dev.stowage.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.device.Backend;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.HostBufferType;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.Planner;
import dev.stowage.plan.order.Reordering;
import dev.stowage.reference.ReferenceProvider;
import dev.stowage.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Random graphs on the reference ops: whichever planner is used, the numbers are those of tensors that share nothing.
 */
class PlannedRunsTest {

    private static final int SEEDS = 400;
    private static final BufferType MEMORY = HostBufferType.standard();
    private static final BufferType CHUNKED = HostBufferType.standard().withMaxBufferSize(512);

    private interface Check {
        void of(Backend backend, RandomComputation computation, Map<Tensor, List<Byte>> expected);
    }

    private static void forEachSeed(Check check) {
        try (Backend backend = new ReferenceProvider().devices().getFirst().open()) {
            for (long seed = 0; seed < SEEDS; seed++) {
                try (RandomComputation computation = new RandomComputation(seed)) {
                    Map<Tensor, List<Byte>> expected = PoisonedRun.apart(backend, computation);
                    assertThat(expected).as("outputs").isNotEmpty();
                    check.of(backend, computation, expected);
                } catch (AssertionError e) {
                    throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
                }
            }
        }
    }

    @Test
    void givesTheSameNumbersWithGgmlsPlan() {
        forEachSeed((backend, computation, expected) -> assertThat(
                        PoisonedRun.planned(backend, computation, computation.graph(), Planner.ggml(), MEMORY))
                .isEqualTo(expected));
    }

    @Test
    void givesTheSameNumbersWithTheTightPlan() {
        forEachSeed((backend, computation, expected) -> assertThat(
                        PoisonedRun.planned(backend, computation, computation.graph(), Planner.tight(), MEMORY))
                .isEqualTo(expected));
    }

    @Test
    void givesTheSameNumbersWithATightPlanInChunks() {
        forEachSeed((backend, computation, expected) -> assertThat(
                        PoisonedRun.planned(backend, computation, computation.graph(), Planner.tight(), CHUNKED))
                .isEqualTo(expected));
    }

    @Test
    void givesTheSameNumbersInAnOrderThatNeedsLess() {
        int[] reordered = new int[1];
        forEachSeed((backend, computation, expected) -> {
            Graph better = Reordering.of(PlanRequest.of(computation.graph(), MEMORY), Planner.tight())
                    .graph();
            reordered[0] += better == computation.graph() ? 0 : 1;
            assertThat(PoisonedRun.planned(backend, computation, better, Planner.tight(), MEMORY))
                    .isEqualTo(expected);
        });
        assertThat(reordered[0]).as("graphs with a better order").isGreaterThan(SEEDS / 10);
    }

    /** Without results over what a view shows and over operands that ggml keeps, the runs above would show little. */
    @Test
    void thePlansComputeInPlaceWhatGgmlDoesNot() {
        int more = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            try (RandomComputation computation = new RandomComputation(seed)) {
                PlanRequest request = PlanRequest.of(computation.graph(), MEMORY);
                more += inPlace(Planner.tight().plan(request))
                                > inPlace(Planner.ggml().plan(request))
                        ? 1
                        : 0;
            }
        }
        assertThat(more).isGreaterThan(SEEDS / 2);
    }

    private static int inPlace(MemoryPlan plan) {
        int count = 0;
        for (int id = 0; id < plan.graph().size(); id++) {
            count += plan.inPlaceOf(id) == Graph.NO_ID ? 0 : 1;
        }
        return count;
    }
}
