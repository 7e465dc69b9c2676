package dev.stowage.plan;

import static dev.stowage.plan.TestTensors.leaf;
import static dev.stowage.plan.TestTensors.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.graph.Graph;
import dev.stowage.memory.BufferType;
import dev.stowage.memory.MeasuringBufferType;
import dev.stowage.tensor.Op;
import dev.stowage.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

class BudgetFitTest {

    private static final BufferType MEMORY = MeasuringBufferType.of("memory", 4);

    private final Tensor x = leaf("x", 1);
    private final Tensor large = node("large", Op.MUL_MAT, 100, x);
    private final Graph graph = Graph.of(node("end", Op.MUL_MAT, 1, large));
    private final MemoryPlan plan = Planner.tight().plan(PlanRequest.of(graph, MEMORY));

    @Test
    void saysWhatIsLeftOver() {
        BudgetFit fit = plan.fitInto(500);

        assertThat(fit.answer()).isEqualTo(BudgetFit.Answer.FITS);
        assertThat(fit.spare()).isEqualTo(96);
        assertThat(fit.missing()).isZero();
        assertThat(fit.describe()).contains("Fits", "404 of 500", "96 to spare").hasLineCount(1);
    }

    @Test
    void fitsWithNothingLeftOver() {
        assertThat(plan.fitInto(404).fits()).isTrue();
    }

    @Test
    void saysWhatIsMissingAndNamesTheTensorsThatDecideIt() {
        BudgetFit fit = plan.fitInto(403);

        assertThat(fit.answer()).isEqualTo(BudgetFit.Answer.CANNOT_FIT);
        assertThat(fit.missing()).isEqualTo(1);
        assertThat(fit.spare()).isZero();
        assertThat(fit.deciding()).extracting(LiveTensor::name).containsExactly("large", "x");
        assertThat(fit.describe()).contains("Does not fit", "1 too many", "No plan", "large: computed here");
    }

    @Test
    void tellsAPlanThatIsTooLargeFromAGraphThatIs() {
        PlanParts parts = PlanParts.of(plan);
        parts.offsets[graph.idOf(large)] = 0;
        parts.offsets[graph.idOf(x)] = 496;
        parts.offsets[graph.nodeCount() - 1] = 496;
        parts.chunkSizes[0][0] = 500;
        BudgetFit fit = PlanValidator.requireValid(parts.plan()).fitInto(450);

        assertThat(fit.answer()).isEqualTo(BudgetFit.Answer.DOES_NOT_FIT);
        assertThat(fit.lowerBound()).isEqualTo(404);
        assertThat(fit.describe()).contains("404 is not ruled out");
    }

    @Test
    void namesWhatDecidesItInEveryKindOfMemory() {
        PlanRequest request = PlanRequest.of(
                graph, List.of(MEMORY, MeasuringBufferType.of("other", 4)), new int[] {0, 1}, new int[] {1});
        BudgetFit fit = Planner.tight().plan(request).fitInto(0);

        assertThat(fit.deciding()).extracting(LiveTensor::name).containsExactly("large", "x");
    }

    @Test
    void listsTheLargestAndSumsUpTheRest() {
        Tensor[] leaves = new Tensor[20];
        for (int i = 0; i < leaves.length; i++) {
            leaves[i] = leaf("leaf" + i, 10 + i);
        }
        Graph many = Graph.of(node("sum", Op.MUL_MAT, 1, leaves));
        BudgetFit fit = Planner.tight().plan(PlanRequest.of(many, MEMORY)).fitInto(0);

        assertThat(fit.describe()).contains("leaf19", "in 13 smaller ones").doesNotContain("leaf5:");
    }

    @Test
    void refusesANegativeBudget() {
        assertThatExceptionOfType(InvalidPlanException.class)
                .isThrownBy(() -> plan.fitInto(-1))
                .withMessageContaining("-1");
    }
}
