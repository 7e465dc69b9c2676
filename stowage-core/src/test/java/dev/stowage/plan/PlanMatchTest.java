package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Op;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A plan that serves a structurally identical graph keeps to the rules of the planner there too. */
class PlanMatchTest {

    private static final MeasuringBufferType MEMORY = MeasuringBufferType.of("memory", 16);

    /** A result that may overwrite its first operand, unless the rules of the planner exclude the op. */
    private static Graph inPlace(Op op) {
        return Graph.of(node("sum", op, 4, cont("a", 4, leaf("x", 4)), leaf("y", 4)));
    }

    private static Planner tight(InPlaceRules rules) {
        return Planner.tight(TightOptions.standard().withInPlace(rules));
    }

    private static final InPlaceRules RULES = InPlaceRules.kernels().without(Op.MUL);

    @Test
    void thePlanOfOneGraphIsReusedForAnotherWhoseOpsMayWorkInPlace() {
        try (GraphAllocator allocator = GraphAllocator.on(List.of(MEMORY), tight(RULES))) {
            MemoryPlan plan = allocator.bind(inPlace(Op.ADD)).plan().orElseThrow();

            assertThat(plan.inPlaceOf(1)).as("what this test is about").isZero();
            assertThat(allocator.bind(inPlace(Op.SUB)).plan()).containsSame(plan);
        }
    }

    @Test
    void thePlanOfOneGraphIsNotReusedAgainstTheRulesOfThePlanner() {
        Graph multiplied = inPlace(Op.MUL);
        assertThat(multiplied.isWiredLike(inPlace(Op.ADD))).isTrue();
        try (GraphAllocator allocator = GraphAllocator.on(List.of(MEMORY), tight(RULES))) {
            allocator.bind(inPlace(Op.ADD));
            MemoryPlan plan = allocator.bind(multiplied).plan().orElseThrow();

            assertThat(plan.inPlaceOf(1)).isEqualTo(Graph.NO_ID);
            assertThat(PlanValidator.check(plan, RULES)).isEmpty();
        }
    }

    @Test
    void thePlanOfARequestIsNotReusedAgainstTheRulesOfThePlanner() {
        try (GraphAllocator allocator = GraphAllocator.on(List.of(MEMORY), tight(RULES))) {
            allocator.bind(PlanRequest.of(inPlace(Op.ADD), MEMORY));
            MemoryPlan plan = allocator
                    .bind(PlanRequest.of(inPlace(Op.MUL), MEMORY))
                    .plan()
                    .orElseThrow();

            assertThat(plan.inPlaceOf(1)).isEqualTo(Graph.NO_ID);
            assertThat(PlanValidator.check(plan, RULES)).isEmpty();
        }
    }

    @Test
    void theSameGraphIsReusedWhereThePlannerAllowsTheOp() {
        Graph multiplied = inPlace(Op.MUL);
        try (GraphAllocator allocator = GraphAllocator.on(List.of(MEMORY), tight(InPlaceRules.kernels()))) {
            MemoryPlan plan = allocator.bind(inPlace(Op.ADD)).plan().orElseThrow();

            assertThat(allocator.bind(multiplied).plan()).containsSame(plan);
        }
    }

    @Test
    void aPlanThatTheCallerGivesMustServeTheGraph() {
        try (GraphAllocator allocator = GraphAllocator.on(MEMORY)) {
            MemoryPlan plan = allocator.measure(inPlace(Op.ADD));

            assertThat(allocator.bind(plan, inPlace(Op.SUB)).plan()).containsSame(plan);
            assertThatExceptionOfType(InvalidPlanException.class)
                    .isThrownBy(() -> allocator.bind(plan, Graph.of(cont("other", 4, leaf("x", 4)))))
                    .withMessageContaining("does not serve this graph");
        }
    }
}
