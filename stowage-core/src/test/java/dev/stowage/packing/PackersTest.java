package dev.stowage.packing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidPlanException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What holds for every packer, whatever its idea is. */
class PackersTest {

    static List<String> names() {
        return Packers.names();
    }

    @Test
    void namesTheStandardOneLast() {
        assertThat(Packers.standard().name())
                .isEqualTo(Packers.names().getLast())
                .isEqualTo("anytime");
    }

    @Test
    void refusesAnUnknownName() {
        assertThatThrownBy(() -> Packers.named("magic"))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("'magic'")
                .hasMessageContaining("anytime");
    }

    @ParameterizedTest
    @MethodSource("names")
    void isFoundByItsName(String name) {
        assertThat(Packers.named(name).name()).isEqualTo(name);
    }

    @ParameterizedTest
    @MethodSource("names")
    void packsAlignedAndFixedBuffersWithoutOverlap(String name) {
        for (long seed = 0; seed < 30; seed++) {
            Problem problem = RandomProblems.mixed(seed, 20 + (int) seed);
            PackingResult result = Packers.named(name).pack(problem, Budget.steps(5_000));

            assertThat(SolutionCheck.violations(problem, result.solution()))
                    .as("seed %d", seed)
                    .isEmpty();
            assertThat(result.height()).as("seed %d", seed).isGreaterThanOrEqualTo(LowerBound.of(problem));
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void packsTheLargestSizesThatAreAcceptedWithoutOverlap(String name) {
        for (long seed = 0; seed < 8; seed++) {
            Problem problem = RandomProblems.huge(seed);
            PackingResult result = Packers.named(name).pack(problem, Budget.steps(2_000));

            assertThat(SolutionCheck.violations(problem, result.solution()))
                    .as("seed %d", seed)
                    .isEmpty();
            assertThat(result.height()).as("seed %d", seed).isGreaterThanOrEqualTo(result.lowerBound());
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void givesTheSameAnswerForTheSameBudgetOfSteps(String name) {
        for (long seed = 0; seed < 3; seed++) {
            Problem problem = RandomProblems.tiling(seed, 90, 25, 700);
            PackingResult once = Packers.named(name).pack(problem, Budget.steps(20_000));
            PackingResult again = Packers.named(name).pack(problem, Budget.steps(20_000));

            assertThat(again.solution().offsets())
                    .as("seed %d", seed)
                    .isEqualTo(once.solution().offsets());
            assertThat(again.steps()).as("seed %d", seed).isEqualTo(once.steps());
        }
    }

    @ParameterizedTest
    @MethodSource("names")
    void packsNothingIntoNothing(String name) {
        PackingResult result = Packers.named(name).pack(Problem.builder().build(), Budget.unlimited());

        assertThat(result.height()).isZero();
        assertThat(result.outcome()).isEqualTo(PackingResult.Outcome.OPTIMAL);
    }

    @ParameterizedTest
    @MethodSource("names")
    void packsBuffersWithoutBytes(String name) {
        Problem problem = Problem.builder()
                .add("empty", 0, 5, 0)
                .addFixed("pinned", 0, 5, 0, 64)
                .add("full", 2, 3, 7)
                .build();
        PackingResult result = Packers.named(name).pack(problem, Budget.unlimited());

        assertThat(SolutionCheck.violations(problem, result.solution())).isEmpty();
        assertThat(result.height()).isEqualTo(7);
    }

    @ParameterizedTest
    @MethodSource("names")
    void hasASolutionEvenWithoutABudget(String name) {
        Problem problem = RandomProblems.mixed(3, 50);
        PackingResult result = Packers.named(name).pack(problem, Budget.steps(0));

        assertThat(SolutionCheck.violations(problem, result.solution())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("names")
    void saysWhenALoadIsTooMuchForTheCapacity(String name) {
        Problem problem = Problem.builder().add(0, 2, 10).add(1, 3, 10).build();
        PackingResult result =
                Packers.named(name).pack(problem, Budget.steps(1000).withCapacity(19));

        assertThat(result.outcome()).isEqualTo(PackingResult.Outcome.DOES_NOT_FIT);
    }
}
