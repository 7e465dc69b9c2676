package dev.stowage.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.cli.CommandRun;
import dev.stowage.internal.json.JsonCursor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The options of {@code stowage plan} that ask for less memory, or how much there is. */
class PlanBudgetTest {

    private static CommandRun plan(String options) {
        return CommandRun.of(("plan llama-3-8b --context 512 --no-flash " + options).split(" "));
    }

    private static long computeBytes(String options) {
        return plan("--json " + options).json().get("compute_bytes").asLong();
    }

    @Test
    void theTightPlannerNeedsLessThanGgml() {
        CommandRun run = plan("--planner tight");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Planned by 'tight' in ", "1.000");
        assertThat(computeBytes("--planner tight")).isLessThan(computeBytes("--planner ggml") * 3 / 4);
    }

    @Test
    void aPlanThatFitsSaysWhatIsLeftOver() {
        CommandRun run = plan("--planner tight --budget 80MiB");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("The compute buffer fits into 80.00 MiB, with 2.99 MiB to spare.");
    }

    @Test
    void aPlanThatDoesNotFitFailsAndSaysWhatIsMissing() {
        CommandRun run = plan("--planner tight --budget 64MiB");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .contains("does not fit into 64.00 MiB: 13.01 MiB too many.")
                .contains("What is live at the peak alone does not fit.");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void aPlanThatABetterPlannerWouldFitSaysSo() {
        CommandRun run = plan("--planner ggml --budget 112MiB");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("does not fit into 112.00 MiB", "What is live at the peak would fit.");
    }

    @Test
    void theAnswerIsInTheJsonToo() {
        CommandRun run = plan("--json --planner tight --budget 64MiB");
        JsonCursor budget = run.json().get("budget");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(budget.get("bytes").asLong()).isEqualTo(64L << 20);
        assertThat(budget.get("fits").asBoolean()).isFalse();
        assertThat(budget.get("missing_bytes").asLong())
                .isEqualTo(run.json().get("compute_bytes").asLong() - (64L << 20));
        assertThat(budget.get("spare_bytes").asLong()).isZero();
    }

    @Test
    void reorderingSaysWhatItSaves() {
        CommandRun run = plan("--planner tight --reorder");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).containsPattern("No order of the nodes was found that needs less|in another order saves");
        assertThat(plan("--json --reorder")
                        .json()
                        .get("reordering")
                        .get("saved_bytes")
                        .asLong())
                .isNotNegative();
    }

    @ParameterizedTest
    @ValueSource(strings = {"512", "lots", "-1MiB"})
    void aBudgetThatIsNotASizeIsAUsageError(String size) {
        CommandRun run = plan("--budget=" + size);

        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errLines().getFirst()).contains("'" + size + "' is not a number of bytes with a unit");
    }
}
