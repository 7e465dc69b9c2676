package dev.stowage.packing.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.packing.Budget;
import dev.stowage.packing.LowerBound;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.RandomProblems;
import dev.stowage.packing.Solution;
import dev.stowage.packing.SolutionCheck;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rectangles without waste whose pieces match no neighbour, so that joining them does not help. */
class BeamSearchTest {

    private static Portfolio.Attempt attempt(Problem problem, long capacity, int attempts) {
        PackingRun run = new PackingRun(problem, Budget.unlimited());
        return new BeamSearch(new SearchModel(problem)).attempt(capacity, attempts, run);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void whatIsFoundIsValidAndWithinTheCapacity(long seed) {
        Problem problem = RandomProblems.pinwheels(seed, 120, 60, 1 << 14);
        long capacity = LowerBound.of(problem) * 3 / 2;
        Portfolio.Attempt found = attempt(problem, capacity, 4);

        assertThat(found.verdict()).isEqualTo(SkylineSearch.Verdict.SOLVED);
        Solution solution = Objects.requireNonNull(found.solution());
        assertThat(SolutionCheck.violations(problem, solution)).isEmpty();
        assertThat(solution.height()).isLessThanOrEqualTo(capacity);
    }

    @Test
    void whatCannotFitIsNotFound() {
        Problem problem = RandomProblems.pinwheels(1, 120, 60, 1 << 14);

        assertThat(attempt(problem, LowerBound.of(problem) - 1, 4).verdict()).isEqualTo(SkylineSearch.Verdict.GAVE_UP);
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5})
    void findsTheSameInTheSameSteps(long seed) {
        Problem problem = RandomProblems.pinwheels(seed, 120, 60, 1 << 14);
        Budget budget = Budget.steps(100_000);
        PackingResult first = new AnytimePacker().pack(problem, budget);
        PackingResult second = new AnytimePacker().pack(problem, budget);

        assertThat(second.solution().offsets()).isEqualTo(first.solution().offsets());
        assertThat(second.steps()).isEqualTo(first.steps());
    }

    @Test
    void solvesWhatASearchThatGoesBackDoesNot() {
        int solved = 0;
        for (long seed = 1; seed <= 5; seed++) {
            Problem problem = RandomProblems.pinwheels(seed, 300, 300, 1 << 20);
            PackingResult result = new AnytimePacker().pack(problem, Budget.steps(600_000));
            assertThat(SolutionCheck.violations(problem, result.solution()))
                    .as("seed %d", seed)
                    .isEmpty();
            solved += result.isOptimal() ? 1 : 0;
        }

        assertThat(solved).as("solved of 5").isGreaterThanOrEqualTo(4);
    }
}
