package dev.stowage.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.graph.GraphBuilder;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.ElementType;
import dev.stowage.tensor.Tensor;
import org.junit.jupiter.api.Test;

/** A cast is an operand of itself, which shows where no other node reads it. */
class CastPlanTest {

    private final GraphBuilder b = new GraphBuilder();
    private final Tensor x = b.input("x", ElementType.F32, 64);

    private static MemoryPlan plan(Graph graph) {
        return PlanValidator.requireValid(
                Planner.ggml().plan(PlanRequest.of(graph, MeasuringBufferType.of("memory", 16))));
    }

    @Test
    void givesItsPlaceUpAtOnceWhenNoNodeReadsIt() {
        Tensor unread = b.cast(x, ElementType.F16);
        Tensor next = b.cont(x);

        MemoryPlan plan = plan(b.build(unread, next));

        assertThat(plan.placement(next).orElseThrow().offset())
                .isEqualTo(plan.placement(unread).orElseThrow().offset());
    }

    @Test
    void keepsItsPlaceUntilItHasBeenRead() {
        Tensor read = b.cast(x, ElementType.F16);
        Tensor between = b.cont(x);
        Tensor reader = b.cast(read, ElementType.F32).asOutput();

        MemoryPlan plan = plan(b.build(read, between, reader));

        assertThat(plan.placement(between).orElseThrow().offset())
                .isNotEqualTo(plan.placement(read).orElseThrow().offset());
    }
}
