package dev.stowage.testkit.golden;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.PlanRequest;
import dev.stowage.plan.PlanValidator;
import dev.stowage.plan.Planner;
import dev.stowage.plan.order.Reordering;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The graphs recorded from ggml under the tight planner: never more than ggml itself took. */
class TightAllocCasesTest {

    private static final GoldenFile RECORDED = GoldenFile.resource(TightAllocCasesTest.class, "/golden/alloc.jsonl.gz");

    private static void forEachCase(BiConsumer<AllocCase, PlanRequest> check) {
        try (Stream<AllocCase> cases = RECORDED.allocCases()) {
            cases.forEach(recorded -> check.accept(
                    recorded,
                    PlanRequest.of(
                            recorded.graph(), recorded.bufferTypes(), recorded.nodeBuffers(), recorded.leafBuffers())));
        }
    }

    private static long takenByGgml(AllocCase recorded) {
        return recorded.expected().bufferSizes().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    @Test
    void noneNeedsMoreThanGgmlTook() {
        forEachCase(
                (recorded, request) -> assertThat(Planner.tight().plan(request).size())
                        .as(recorded.name())
                        .isLessThanOrEqualTo(takenByGgml(recorded)));
    }

    @Test
    void everyPlanIsValidAndKeepsItsOutputs() {
        forEachCase((recorded, request) -> {
            MemoryPlan plan = Planner.tight().plan(request);
            assertThat(PlanValidator.check(plan)).as(recorded.name()).isEmpty();
            assertThat(PlanValidator.hazards(plan)).as(recorded.name()).isEmpty();
        });
    }

    @Test
    void anotherOrderNeverNeedsMore() {
        int[] better = new int[1];
        forEachCase((recorded, request) -> {
            Reordering reordering = Reordering.of(request, Planner.tight());
            assertThat(PlanValidator.check(reordering.plan()))
                    .as(recorded.name())
                    .isEmpty();
            assertThat(reordering.plan().size())
                    .as(recorded.name())
                    .isLessThanOrEqualTo(Planner.tight().plan(request).size());
            better[0] += reordering.saved() > 0 ? 1 : 0;
        });
        assertThat(better[0]).isGreaterThan(100);
    }
}
