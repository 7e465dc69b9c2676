package dev.stowage.packing.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packers;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.RandomProblems;
import dev.stowage.packing.SolutionCheck;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rectangles that were cut without waste are put together again, from blocks of their pieces. */
class BlockSearchTest {

    private static final int WIDTH = 100;
    private static final int HEIGHT = 1024;

    @Test
    void solvesLargeTilingsInFewSteps() {
        int solved = 0;
        int tilings = 10;
        for (int seed = 1; seed <= tilings; seed++) {
            Problem problem = RandomProblems.tiling(seed, 300 + 13 * seed, WIDTH, HEIGHT);
            PackingResult result = Packers.standard().pack(problem, Budget.steps(400_000));
            assertThat(SolutionCheck.violations(problem, result.solution()))
                    .as("seed %d", seed)
                    .isEmpty();
            solved += result.isOptimal() ? 1 : 0;
        }

        assertThat(solved).as("solved of %d", tilings).isGreaterThanOrEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 7})
    void givesTheSameAnswerForTheSameSteps(long seed) {
        Problem problem = RandomProblems.tiling(seed, 340, WIDTH, HEIGHT);
        Budget budget = Budget.steps(200_000);

        PackingResult first = Packers.standard().pack(problem, budget);
        PackingResult second = Packers.standard().pack(problem, budget);

        assertThat(second.solution().offsets()).isEqualTo(first.solution().offsets());
        assertThat(second.steps()).isEqualTo(first.steps());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void joinsAreUndoneInTheOffsetsOfBuffers(long seed) {
        Problem problem = RandomProblems.tiling(seed, 60, 20, 64);
        SearchModel model = new SearchModel(problem);
        Blocks blocks = new Blocks(model);
        new BlockMerging(blocks).merge(0, 0, seed);
        Problem joined = blocks.problem();
        PackingResult packed = Packers.standard().pack(joined, Budget.steps(20_000));

        assertThat(joined.count()).isEqualTo(blocks.active()).isLessThan(problem.count());
        assertThat(SolutionCheck.violations(problem, blocks.solution(packed.solution())))
                .isEmpty();
    }
}
