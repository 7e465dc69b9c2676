package dev.stowage.packing.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.packing.BruteForce;
import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.Packers;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.RandomProblems;
import dev.stowage.packing.SolutionCheck;
import dev.stowage.packing.Tilings;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The exact packer says the truth: about the lowest height, and about what does not fit. */
class ExactPackerTest {

    private static final Packer EXACT = Packers.named("exact");
    private static final Budget PLENTY = Budget.steps(5_000_000);

    /** Many tiny problems in each case, so that a failure names a narrow range of seeds. */
    static LongStream firstSeeds() {
        return LongStream.range(0, 20).map(group -> group * 50);
    }

    @ParameterizedTest
    @MethodSource("firstSeeds")
    void findsTheLowestHeight(long firstSeed) {
        for (long seed = firstSeed; seed < firstSeed + 50; seed++) {
            Problem problem = RandomProblems.tiny(seed);
            PackingResult result = EXACT.pack(problem, PLENTY);

            assertThat(SolutionCheck.violations(problem, result.solution()))
                    .as("seed %d", seed)
                    .isEmpty();
            assertThat(result.height()).as("seed %d", seed).isEqualTo(BruteForce.lowestHeight(problem));
            assertThat(result.outcome()).as("seed %d", seed).isEqualTo(PackingResult.Outcome.OPTIMAL);
        }
    }

    @ParameterizedTest
    @MethodSource("firstSeeds")
    void provesThatNothingFitsBelowTheLowestHeight(long firstSeed) {
        for (long seed = firstSeed; seed < firstSeed + 50; seed++) {
            Problem problem = RandomProblems.tiny(seed);
            long lowest = BruteForce.lowestHeight(problem);
            if (lowest > 0) {
                PackingResult result = EXACT.pack(problem, PLENTY.withCapacity(lowest - 1));

                assertThat(result.outcome()).as("seed %d", seed).isEqualTo(PackingResult.Outcome.DOES_NOT_FIT);
                assertThat(result.provesUnfit(lowest - 1)).as("seed %d", seed).isTrue();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("firstSeeds")
    void fitsIntoTheLowestHeight(long firstSeed) {
        for (long seed = firstSeed; seed < firstSeed + 50; seed++) {
            Problem problem = RandomProblems.tiny(seed);
            long lowest = BruteForce.lowestHeight(problem);
            PackingResult result = EXACT.pack(problem, PLENTY.withCapacity(lowest));

            assertThat(result.fits(lowest)).as("seed %d", seed).isTrue();
            assertThat(SolutionCheck.violations(problem, result.solution()))
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    void solvesTilingsWithoutWaste(int number) {
        Problem problem = Tilings.recorded(number);
        PackingResult result = EXACT.pack(problem, Budget.steps(3_000_000).withCapacity(Tilings.HEIGHT));

        assertThat(result.height()).isEqualTo(Tilings.HEIGHT);
        assertThat(SolutionCheck.violations(problem, result.solution())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void solvesSmallTilingsOfAnyKind(long seed) {
        Problem problem = RandomProblems.tiling(seed, 60, 20, 400);
        PackingResult result = EXACT.pack(problem, Budget.steps(2_000_000));

        assertThat(result.height()).isEqualTo(400);
        assertThat(SolutionCheck.violations(problem, result.solution())).isEmpty();
    }

    @Test
    void provesABoundAboveTheLoad() {
        // Never more than 2 bytes are live, but a must be above "low" and c below "high", and b can do neither.
        Problem problem = Problem.builder()
                .add("a", 0, 4, 1)
                .add("b", 3, 7, 1)
                .add("c", 6, 10, 1)
                .addFixed("low", 0, 1, 1, 0)
                .addFixed("high", 9, 10, 1, 1)
                .build();
        PackingResult result = EXACT.pack(problem, PLENTY);

        assertThat(result.height()).isEqualTo(BruteForce.lowestHeight(problem));
        assertThat(result.isOptimal()).isTrue();
    }

    @Test
    void tellsBuffersApartThatOnlyPaddingMakesAlike() {
        // Rounded up to their alignment "one" and "two" are of the same size, but only "one" fits on top of 12 bytes.
        Problem problem = Problem.builder()
                .addFixed("fixed", 5, 7, 3, 4, 8)
                .addAligned("a", 2, 5, 2, 4)
                .addAligned("b", 3, 4, 4, 4)
                .addAligned("one", 0, 3, 1, 4)
                .addAligned("c", 6, 9, 4, 2)
                .addAligned("d", 2, 5, 5, 2)
                .addAligned("two", 0, 3, 2, 4)
                .build();

        assertThat(EXACT.pack(problem, PLENTY).height()).isEqualTo(BruteForce.lowestHeight(problem));
    }

    @Test
    void leavesPartsAloneThatAreLowEnough() {
        // The second part could be packed lower, but the first makes that pointless.
        Problem problem = Problem.builder()
                .add("large", 0, 1, 100)
                .add("x", 10, 12, 20)
                .add("y", 11, 13, 20)
                .build();
        PackingResult result = EXACT.pack(problem, PLENTY);

        assertThat(result.height()).isEqualTo(100);
        assertThat(result.outcome()).isEqualTo(PackingResult.Outcome.OPTIMAL);
    }

    @Test
    void givesUpWithASolutionInHand() {
        Problem problem = Tilings.recorded(6);
        PackingResult result = EXACT.pack(problem, Budget.steps(1000));

        assertThat(result.outcome()).isEqualTo(PackingResult.Outcome.GAVE_UP);
        assertThat(SolutionCheck.violations(problem, result.solution())).isEmpty();
        assertThat(result.lowerBound()).isEqualTo(Tilings.HEIGHT);
    }
}
