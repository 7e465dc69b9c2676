package dev.stowage.packing.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stowage.packing.Budget;
import dev.stowage.packing.Packers;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.ProblemBuilder;
import dev.stowage.packing.SolutionCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Greedy passes over many buffers find the same gaps as a plain scan, in the time that the budget gives. */
class GapFitTest {

    private record Placed(int first, int end, long begin, long top) {}

    /** Lifetimes from one moment to all of them, with a few that last long. */
    private static Problem large(long seed, int count, boolean aligned) {
        SplittableRandom random = new SplittableRandom(seed);
        ProblemBuilder builder = Problem.builder();
        for (int buffer = 0; buffer < count; buffer++) {
            long from = random.nextInt(count);
            long length = 1L + random.nextInt(random.nextInt(100) == 0 ? count : 40);
            long alignment = aligned ? 1L << random.nextInt(9) : 1;
            builder.addAligned(from, from + length, random.nextInt(20) == 0 ? 0 : random.nextInt(1, 5000), alignment);
        }
        return builder.build();
    }

    /** The offsets by a scan of all placed buffers from the bottom up. */
    private static long[] byScan(Problem problem, int[] order, boolean smallestGap) {
        TimeSections sections = new TimeSections(problem);
        List<Placed> placed = new ArrayList<>();
        long[] offsets = new long[problem.count()];
        for (int buffer : order) {
            if (problem.size(buffer) > 0) {
                int first = sections.first(buffer);
                int end = sections.end(buffer);
                List<Placed> live = placed.stream()
                        .filter(each -> each.first < end && first < each.end)
                        .sorted(Comparator.comparingLong(Placed::begin))
                        .toList();
                offsets[buffer] = gap(live, problem.size(buffer), problem.alignment(buffer), smallestGap);
                placed.add(new Placed(first, end, offsets[buffer], offsets[buffer] + problem.size(buffer)));
            }
        }
        return offsets;
    }

    private static long gap(List<Placed> live, long size, long alignment, boolean smallestGap) {
        long offset = 0;
        long best = -1;
        long bestSize = Long.MAX_VALUE;
        for (Placed each : live) {
            long gap = each.begin - offset;
            if (gap >= size && gap < bestSize && (smallestGap || best < 0)) {
                best = offset;
                bestSize = gap;
            }
            offset = Math.max(offset, Math.ceilDiv(each.top, alignment) * alignment);
        }
        return best < 0 ? offset : best;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void gapsAreThoseOfAScan(long seed) {
        Problem problem = large(seed, 3000, seed % 2 == 0);
        TimeSections sections = new TimeSections(problem);
        GapFit fit = new GapFit(problem, sections);
        for (GreedyOrder order : GreedyOrder.values()) {
            int[] buffers = order.of(problem, sections);
            for (boolean smallestGap : new boolean[] {false, true}) {
                fit.pack(buffers, smallestGap, Long.MAX_VALUE, () -> false);
                assertThat(fit.offsets())
                        .as("order %s, smallest gap %s", order, smallestGap)
                        .isEqualTo(byScan(problem, buffers, smallestGap));
            }
        }
    }

    @Test
    void aPassEndsAtTheFirstBufferThatReachesTheLimit() {
        Problem problem = large(3, 3000, false);
        TimeSections sections = new TimeSections(problem);
        int[] order = GreedyOrder.SIZE.of(problem, sections);
        GapFit fit = new GapFit(problem, sections);
        long height = fit.pack(order, false, Long.MAX_VALUE, () -> false);

        assertThat(fit.pack(order, false, height + 1, () -> false)).isEqualTo(height);
        long limit = problem.size(order[0]) / 2;
        assertThat(fit.pack(order, false, limit, () -> false)).isEqualTo(problem.size(order[0]));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void aSweepThroughTimeGivesTheOffsetsOfAPassInThatOrder(long seed) {
        Problem problem = large(seed, seed < 4 ? 300 : 5000, seed % 2 == 0);
        TimeSections sections = new TimeSections(problem);
        GapFit fit = new GapFit(problem, sections);
        fit.pack(GreedyOrder.TIME.of(problem, sections), true, Long.MAX_VALUE, () -> false);
        long[] swept = new TimeSweep(problem).pack();

        assertThat(swept).isEqualTo(fit.offsets());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void anytimeIsNeverAboveAGreedyOrderHoweverManyBuffersThereAre(long seed) {
        Problem problem = large(seed, 20_000, seed % 2 == 0);
        PackingResult anytime = Packers.named("anytime").pack(problem, Budget.steps(16L * problem.count()));

        assertThat(SolutionCheck.violations(problem, anytime.solution())).isEmpty();
        assertThat(anytime.steps()).isLessThanOrEqualTo(16L * problem.count());
        for (String name : List.of("ggml", "size", "area", "lifetime", "conflicts", "best")) {
            assertThat(anytime.height())
                    .as("anytime and %s", name)
                    .isLessThanOrEqualTo(Packers.named(name)
                            .pack(problem, Budget.unlimited())
                            .height());
        }
    }

    @Test
    void withoutTimeTheBuffersAreStillPackedByTheirStart() {
        Problem problem = large(7, 20_000, true);
        PackingResult hurried = Packers.named("anytime").pack(problem, Budget.time(Duration.ZERO));
        PackingResult byStart = Packers.named("ggml").pack(problem, Budget.unlimited());

        assertThat(hurried.height()).isLessThanOrEqualTo(byStart.height());
    }

    @Test
    void aCancelledSearchEndsWithTheBestSoFar() {
        Problem problem = large(8, 5000, false);
        AtomicInteger questions = new AtomicInteger();
        PackingResult result = Packers.named("anytime")
                .pack(problem, Budget.unlimited().withCancel(() -> questions.incrementAndGet() > 1000));

        assertThat(SolutionCheck.violations(problem, result.solution())).isEmpty();
        assertThat(result.outcome()).isEqualTo(PackingResult.Outcome.GAVE_UP);
    }

    @Test
    void attemptsThatFailAtOnceAreStepsToo() {
        Problem problem = Problem.builder()
                .addAligned("a", 0, 2, 100, 64L << 20)
                .addAligned("b", 1, 3, 100, 64L << 20)
                .build();
        for (String name : List.of("anytime", "exact")) {
            PackingResult result = Packers.named(name).pack(problem, Budget.steps(100));

            assertThat(result.steps()).as(name).isLessThanOrEqualTo(100 + problem.count());
            assertThat(result.height()).as(name).isEqualTo((64L << 20) + 100);
            assertThat(result.isOptimal()).as(name).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"anytime", "exact", "best", "size", "ggml"})
    void stepsStayBelowTheirLimitOnceAPassIsMade(String name) {
        Problem problem = large(9, 6000, true);
        for (long limit : new long[] {20_000, 50_000, 100_000}) {
            assertThat(Packers.named(name).pack(problem, Budget.steps(limit)).steps())
                    .as("%s, at most %d steps", name, limit)
                    .isLessThanOrEqualTo(limit);
        }
    }
}
