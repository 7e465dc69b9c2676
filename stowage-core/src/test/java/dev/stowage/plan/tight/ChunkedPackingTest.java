package dev.stowage.plan.tight;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.packing.LowerBound;
import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ChunkedPackingTest {

    private static final int SEEDS = 300;
    private static final long STEPS = 2000;

    private static Problem problem(Random random) {
        ProblemBuilder problem = Problem.builder();
        int count = 1 + random.nextInt(40);
        for (int i = 0; i < count; i++) {
            int from = random.nextInt(30);
            problem.add(from, from + 1 + random.nextInt(10), 1 + random.nextInt(50));
        }
        return problem.build();
    }

    private static boolean overlap(Problem problem, ChunkedSolution solution, int a, int b) {
        return solution.chunks()[a] == solution.chunks()[b]
                && problem.from(a) < problem.to(b)
                && problem.from(b) < problem.to(a)
                && solution.offsets()[a] < solution.offsets()[b] + problem.size(b)
                && solution.offsets()[b] < solution.offsets()[a] + problem.size(a);
    }

    private static void assertGood(Problem problem, long limit, ChunkedSolution solution, long seed) {
        for (int a = 0; a < problem.count(); a++) {
            int other = a;
            assertThat(solution.offsets()[a]).as("seed %d", seed).isNotNegative();
            assertThat(solution.offsets()[a] + problem.size(a))
                    .as("seed %d: end of buffer %d", seed, a)
                    .isLessThanOrEqualTo(solution.heights()[solution.chunks()[a]]);
            assertThat(IntStream.range(0, a).filter(b -> overlap(problem, solution, other, b)))
                    .as("seed %d: what buffer %d overlaps", seed, a)
                    .isEmpty();
        }
        for (int chunk = 0; chunk < solution.chunkCount(); chunk++) {
            long largest = IntStream.of(solution.members(chunk))
                    .mapToLong(problem::size)
                    .max()
                    .orElseThrow();
            assertThat(solution.heights()[chunk])
                    .as("seed %d: height of chunk %d", seed, chunk)
                    .isLessThanOrEqualTo(Math.max(limit, largest));
        }
    }

    @Test
    void nothingOverlapsAndNoChunkIsLargerThanItMustBe() {
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Problem problem = problem(random);
            long limit = 1L + random.nextInt(200);
            assertGood(problem, limit, ChunkedPacking.of(problem, limit, STEPS), seed);
            assertGood(problem, limit, ChunkedPacking.inTimeOrder(problem, limit), seed);
        }
    }

    @Test
    void takesNoMoreThanDealingOutInTimeAndOftenLess() {
        int less = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Problem problem = problem(random);
            long limit = 50L + random.nextInt(100);
            long inTime = ChunkedPacking.inTimeOrder(problem, limit).size();
            long packed = ChunkedPacking.of(problem, limit, STEPS).size();
            assertThat(packed).as("seed %d", seed).isBetween(LowerBound.of(problem), inTime);
            less += packed < inTime ? 1 : 0;
        }
        assertThat(less).isGreaterThan(SEEDS / 2);
    }

    @Test
    void oneChunkIsUsedWhereTheLimitAllowsIt() {
        for (long seed = 0; seed < SEEDS; seed++) {
            ChunkedSolution solution = ChunkedPacking.of(problem(new Random(seed)), Long.MAX_VALUE, STEPS);
            assertThat(solution.chunkCount()).as("seed %d", seed).isEqualTo(1);
        }
    }

    @Test
    void aBufferLargerThanTheLimitSharesItsChunkWithWhatLivesAtOtherTimes() {
        Problem problem =
                Problem.builder().add(0, 1, 100).add(1, 2, 60).add(2, 3, 90).build();
        ChunkedSolution solution = ChunkedPacking.of(problem, 50, STEPS);

        assertThat(solution.chunkCount()).isEqualTo(1);
        assertThat(solution.size()).isEqualTo(100);
    }

    @Test
    void tooManyToDistributeInAnyOrderAreDistributedInTime() {
        ProblemBuilder many = Problem.builder();
        for (int i = 0; i < 10_001; i++) {
            many.add(i, i + 2, 1 + i % 3);
        }
        Problem problem = many.build();
        ChunkedSolution solution = ChunkedPacking.of(problem, 4, 0);

        assertThat(solution.size())
                .isLessThanOrEqualTo(ChunkedPacking.inTimeOrder(problem, 4).size());
        assertThat(solution.chunkCount()).isGreaterThan(1);
    }
}
