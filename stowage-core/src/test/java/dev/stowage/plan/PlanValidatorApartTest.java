package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.add;
import static dev.stowage.plan.TestTensors.cont;
import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.view;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.graph.Graph;
import dev.stowage.graph.wiring.GraphAssembly;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.plan.PlanViolation.Kind;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Results that are computed apart: no claim gives them the place of an operand, however right the op would be. */
class PlanValidatorApartTest {

    private static final BufferType MEMORY = MeasuringBufferType.of("memory", 16);
    private static final BufferType OTHER = MeasuringBufferType.of("other", 16);

    private final Tensor x = leaf("x", 4);
    private final Tensor y = cont("y", 4, x);

    /** The graph of that result, which is computed apart where it says so. */
    private static Graph graph(Tensor result, boolean isApart) {
        Graph plain = Graph.of(result);
        GraphAssembly assembly = GraphAssembly.over(plain);
        for (int id = 0; id < plain.nodeCount(); id++) {
            assembly.addNode(id);
        }
        for (int leaf = 0; leaf < plain.leafCount(); leaf++) {
            assembly.addLeaf(plain.nodeCount() + leaf);
        }
        if (isApart) {
            assembly.forbidInPlace(plain.idOf(result));
        }
        return assembly.build();
    }

    /** A good plan, changed so that the result is said to be computed in the place of that operand, and is there. */
    private static MemoryPlan claiming(PlanRequest request, Tensor result, Tensor operand) {
        MemoryPlan plan = Planner.ggml().plan(request);
        assertThat(PlanValidator.check(plan))
                .as("the plan before it is changed")
                .isEmpty();
        PlanParts parts = PlanParts.of(plan);
        int id = plan.graph().idOf(result);
        parts.moveOnto(id, plan.graph().idOf(operand));
        parts.inPlaceOf[id] = plan.graph().idOf(operand);
        return parts.plan();
    }

    private void assertRefusedOnlyIfApart(Tensor result, Tensor operand) {
        assertThat(PlanValidator.check(claiming(PlanRequest.of(graph(result, false), MEMORY), result, operand)))
                .as("the same claim for a result that is not computed apart")
                .isEmpty();
        assertThat(PlanValidator.check(claiming(PlanRequest.of(graph(result, true), MEMORY), result, operand)))
                .extracting(PlanViolation::kind)
                .containsExactly(Kind.IN_PLACE);
    }

    @Test
    void mustNotTakeThePlaceOfAnOperand() {
        assertRefusedOnlyIfApart(add("result", 4, y), y);
    }

    @Test
    void mustNotTakeThePlaceOfWhatAnOperandIsAViewOf() {
        assertRefusedOnlyIfApart(add("result", 4, view("view", y, 0, 4)), y);
    }

    @Test
    void mustNotFollowAnOperandIntoAnotherKindOfMemory() {
        Tensor result = add("result", 4, y);
        Graph apart = graph(result, true);
        PlanRequest request = PlanRequest.of(apart, List.of(MEMORY, OTHER), new int[] {0, 1}, new int[] {0});

        assertThat(PlanValidator.check(claiming(request, result, y)))
                .extracting(PlanViolation::kind)
                .containsExactlyInAnyOrder(Kind.IN_PLACE, Kind.WRONG_BUFFER);
    }
}
