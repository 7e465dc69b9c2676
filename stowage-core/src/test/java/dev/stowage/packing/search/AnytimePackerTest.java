package dev.stowage.packing.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.Packers;
import dev.stowage.packing.PackingProgress;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import dev.stowage.packing.RandomProblems;
import dev.stowage.packing.SolutionCheck;
import dev.stowage.packing.Tilings;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A good answer at once, better ones with more steps, and an end where nothing can be gained any more. */
class AnytimePackerTest {

    private static final Packer ANYTIME = Packers.named("anytime");

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void solvesTilingsWithoutWaste(int number) {
        PackingResult result = ANYTIME.pack(Tilings.recorded(number), Budget.steps(3_000_000));

        assertThat(result.height()).isEqualTo(Tilings.HEIGHT);
        assertThat(result.isOptimal()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void isNeverWorseThanTheBestGreedyOrder(long seed) {
        Problem problem = RandomProblems.mixed(seed, 300);
        PackingResult greedy = Packers.named("best").pack(problem, Budget.unlimited());
        PackingResult anytime = ANYTIME.pack(problem, Budget.steps(15_000));

        assertThat(anytime.height()).isLessThanOrEqualTo(greedy.height());
    }

    @Test
    void stopsAtTheFirstPassThatReachesTheLowerBound() {
        // A chain, as layers of a network make it: each buffer dies as the next but one is born.
        ProblemBuilder builder = Problem.builder();
        for (int layer = 0; layer < 1000; layer++) {
            builder.addAligned(layer, layer + 2, 4096, 128);
        }
        Problem problem = builder.build();
        PackingResult result = ANYTIME.pack(problem, Budget.unlimited());

        assertThat(result.height()).isEqualTo(2 * 4096);
        assertThat(result.steps()).isEqualTo(2L * problem.count());
    }

    @Test
    void tellsOfEveryBetterSolution() {
        List<PackingProgress> reported = new ArrayList<>();
        PackingResult result =
                ANYTIME.pack(Tilings.recorded(2), Budget.steps(500_000).withProgress(reported::add));

        assertThat(reported).isNotEmpty();
        assertThat(reported.getLast().height()).isEqualTo(result.height());
        assertThat(reported).extracting(PackingProgress::height).isSortedAccordingTo((a, b) -> Long.compare(b, a));
    }

    @Test
    void isContentWithTheCapacityAskedFor() {
        Problem problem = Tilings.recorded(3);
        PackingResult result = ANYTIME.pack(problem, Budget.steps(3_000_000).withCapacity(2 * Tilings.HEIGHT));

        assertThat(result.outcome()).isEqualTo(PackingResult.Outcome.FITS);
        assertThat(result.fits(2 * Tilings.HEIGHT)).isTrue();
        assertThat(result.steps()).isLessThan(100_000);
    }

    @Test
    void packsTensOfThousandsOfBuffers() {
        ProblemBuilder builder = Problem.builder();
        SplittableRandom random = new SplittableRandom(11);
        for (int buffer = 0; buffer < 10_000; buffer++) {
            long from = random.nextInt(10_000);
            builder.add(from, from + 1 + random.nextInt(50), 1 + random.nextInt(1000));
        }
        Problem problem = builder.build();
        PackingResult result = ANYTIME.pack(problem, Budget.steps(50_000));

        assertThat(SolutionCheck.violations(problem, result.solution())).isEmpty();
        assertThat(result.gap()).isLessThan(0.2);
    }
}
