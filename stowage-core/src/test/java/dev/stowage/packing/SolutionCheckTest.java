package dev.stowage.packing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stowage.error.InvalidPlanException;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The checker sees every way in which a solution can be wrong. */
class SolutionCheckTest {

    private static final Problem PROBLEM = Problem.builder()
            .add("a", 0, 3, 10)
            .addAligned("b", 2, 5, 10, 8)
            .addFixed("c", 4, 6, 10, 40)
            .build();

    @Test
    void findsNothingInAGoodSolution() {
        assertThat(SolutionCheck.violations(PROBLEM, solution(0, 16, 40))).isEmpty();
    }

    @Test
    void allowsTheSameBytesAtDifferentTimes() {
        assertThat(SolutionCheck.violations(PROBLEM, solution(45, 16, 40))).isEmpty();
    }

    @Test
    void seesAnOverlap() {
        assertThat(SolutionCheck.violations(PROBLEM, solution(7, 16, 40)))
                .singleElement()
                .asString()
                .contains("'a'", "'b'");
    }

    @Test
    void seesABufferWithinAnother() {
        Problem problem =
                Problem.builder().add("outer", 0, 9, 100).add("inner", 3, 4, 1).build();

        assertThat(SolutionCheck.violations(problem, Solution.of(problem, new long[] {0, 50})))
                .hasSize(1);
    }

    @Test
    void seesAMisalignedBuffer() {
        assertThat(SolutionCheck.violations(PROBLEM, solution(0, 12, 40)))
                .singleElement()
                .asString()
                .contains("alignment 8");
    }

    @Test
    void seesABufferThatIsNotWhereItIsFixed() {
        assertThat(SolutionCheck.violations(PROBLEM, solution(0, 16, 48)))
                .singleElement()
                .asString()
                .contains("fixed at 40");
    }

    @Test
    void seesABufferBelowZero() {
        assertThat(SolutionCheck.violations(PROBLEM, solution(-10, 16, 40)))
                .singleElement()
                .asString()
                .contains("-10");
    }

    @Test
    void seesOffsetsOfAnotherProblem() {
        Problem other = Problem.builder().add(0, 1, 1).build();

        assertThat(SolutionCheck.violations(PROBLEM, Solution.of(other, new long[] {0})))
                .hasSize(1);
    }

    @Test
    void refusesABadSolutionWithTheReason() {
        assertThatThrownBy(() -> SolutionCheck.requireValid(PROBLEM, solution(7, 16, 40)))
                .isInstanceOf(InvalidPlanException.class)
                .hasMessageContaining("overlaps");
    }

    @Test
    void agreesWithComparingEveryPair() {
        SplittableRandom random = new SplittableRandom(5);
        for (long seed = 0; seed < 300; seed++) {
            Problem problem = RandomProblems.tiny(seed);
            long[] offsets = random.longs(problem.count(), 0, 20).toArray();
            Solution solution = Solution.of(problem, offsets);

            assertThat(SolutionCheck.violations(problem, solution).isEmpty())
                    .as("seed %d", seed)
                    .isEqualTo(isGood(problem, offsets));
        }
    }

    private static boolean isGood(Problem problem, long[] offsets) {
        for (int a = 0; a < offsets.length; a++) {
            if (offsets[a] % problem.alignment(a) != 0 || problem.fixedOffset(a).orElse(offsets[a]) != offsets[a]) {
                return false;
            }
            for (int b = 0; b < a; b++) {
                boolean together = problem.from(a) < problem.to(b) && problem.from(b) < problem.to(a);
                boolean meet = Math.max(offsets[a], offsets[b])
                        < Math.min(offsets[a] + problem.size(a), offsets[b] + problem.size(b));
                if (together && meet) {
                    return false;
                }
            }
        }
        return true;
    }

    private static Solution solution(long... offsets) {
        return Solution.of(PROBLEM, offsets);
    }
}
