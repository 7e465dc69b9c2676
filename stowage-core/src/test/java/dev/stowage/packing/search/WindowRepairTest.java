package dev.stowage.packing.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packers;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import dev.stowage.packing.SolutionCheck;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A packing of many buffers becomes lower window by window, and the structures that find the windows agree with a scan. */
class WindowRepairTest {

    private static final int COUNT = 8000;

    private static Problem large(long seed, boolean mixed) {
        SplittableRandom random = new SplittableRandom(seed);
        ProblemBuilder builder = Problem.builder();
        for (int buffer = 0; buffer < COUNT; buffer++) {
            long from = random.nextInt(COUNT);
            long to = from + 1 + random.nextInt(100);
            long size = random.nextInt(1, 1 << 20);
            if (mixed && buffer < 3) {
                builder.addFixed("fixed" + buffer, from, to, size, buffer * (2L << 20));
            } else if (mixed && random.nextInt(4) == 0) {
                builder.addAligned(from, to, random.nextInt(10) == 0 ? 0 : size, 1L << random.nextInt(9));
            } else {
                builder.add(from, to, size);
            }
        }
        return builder.build();
    }

    private static long repaired(Problem problem, long steps) {
        PackingRun run = new PackingRun(problem, Budget.steps(steps));
        run.offer(Packers.named("best")
                .pack(problem, Budget.unlimited())
                .solution()
                .offsets());
        new WindowRepair(run).work();
        assertThat(SolutionCheck.violations(problem, run.best())).isEmpty();
        assertThat(run.result().steps()).isLessThanOrEqualTo(steps);
        return run.best().height();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void lowersTheBestGreedyOrder(long seed) {
        Problem problem = large(seed, seed == 3);
        long greedy = Packers.named("best").pack(problem, Budget.unlimited()).height();

        assertThat(repaired(problem, 40L * COUNT)).isLessThan(greedy);
    }

    /** Small problems are soon as low as they can be, above the lower bound at times: then there is no window left. */
    @Test
    void endsWhereNoWindowCanBeLowered() {
        SplittableRandom random = new SplittableRandom(9);
        for (int round = 0; round < 100; round++) {
            ProblemBuilder builder = Problem.builder();
            int count = random.nextInt(20, 40);
            for (int buffer = 0; buffer < count; buffer++) {
                long from = random.nextInt(20);
                builder.addAligned(from, from + 1 + random.nextInt(8), random.nextInt(1, 100), 32);
            }
            repaired(builder.build(), 1_000_000);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5})
    void findsTheSameInTheSameSteps(long seed) {
        Problem problem = large(seed, seed == 5);
        Budget budget = Budget.steps(30L * COUNT);
        PackingResult first = new AnytimePacker().pack(problem, budget);
        PackingResult second = new AnytimePacker().pack(problem, budget);

        assertThat(second.solution().offsets()).isEqualTo(first.solution().offsets());
        assertThat(second.steps()).isEqualTo(first.steps());
    }

    @Test
    void offsetsThatDoNotAddUpInOneProblemAreLeftAlone() {
        SplittableRandom random = new SplittableRandom(8);
        ProblemBuilder builder = Problem.builder();
        for (int buffer = 0; buffer < 5000; buffer++) {
            long from = random.nextInt(5000);
            builder.add(from, from + 1 + random.nextInt(1000), (1L << 47) + random.nextLong(1L << 47));
        }
        Problem problem = builder.build();
        PackingResult result = new AnytimePacker().pack(problem, Budget.steps(20L * problem.count()));

        assertThat(SolutionCheck.violations(problem, result.solution())).isEmpty();
    }

    @Test
    void theIndexFindsWhatAScanFinds() {
        Problem problem = large(6, true);
        TimeSections sections = new TimeSections(problem);
        LiveIndex index = new LiveIndex(sections, COUNT);
        SplittableRandom random = new SplittableRandom(6);
        for (int query = 0; query < 200; query++) {
            int first = random.nextInt(sections.sections());
            int end = random.nextInt(first, sections.sections()) + 1;
            int[] found = index.live(first, end);
            Arrays.sort(found);
            assertThat(found)
                    .as("live from %d to %d", first, end)
                    .isEqualTo(IntStream.range(0, COUNT)
                            .filter(buffer -> problem.size(buffer) > 0
                                    && sections.first(buffer) < end
                                    && sections.end(buffer) > first)
                            .toArray());
        }
    }

    @Test
    void theHighestEndIsThatOfAScanAfterEveryChange() {
        Problem problem = large(7, true);
        TimeSections sections = new TimeSections(problem);
        SplittableRandom random = new SplittableRandom(7);
        long[] ends = random.longs(COUNT, 0, 1000).toArray();
        HighestEnds highest = new HighestEnds(sections, ends.clone());
        for (int change = 0; change < 1000; change++) {
            int buffer = random.nextInt(COUNT);
            ends[buffer] = random.nextInt(1000);
            highest.set(buffer, ends[buffer]);
            int first = random.nextInt(sections.sections());
            int last = random.nextInt(first, sections.sections() + 1);
            int found = highest.highest(first, last);
            long scanned = IntStream.range(0, COUNT)
                    .filter(each -> sections.first(each) >= first && sections.first(each) < last)
                    .mapToLong(each -> ends[each])
                    .max()
                    .orElse(-1);
            assertThat(found < 0 ? -1 : ends[found])
                    .as("from %d to %d", first, last)
                    .isEqualTo(scanned);
        }
    }
}
