package dev.stowage.packing.search;

import dev.stowage.packing.Solution;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Packs a problem without slack by {@linkplain BlockMerging joining} buffers and then searching a packing of the blocks,
 * which are fewer. As some joins may be wrong, this is done again and again: joining more or less, with other joins, and
 * with longer and longer searches. Two attempts are made at a time; the result is that of the first which succeeds, so it
 * does not depend on the machine.
 */
final class BlockSearch {

    private static final int LANES = 2;
    private static final int SEARCHES_PER_MERGING = 2;
    private static final long FAILURES_PER_BLOCK = 20;
    private static final long FEWEST_FAILURES = 2000;

    /** Comparing two blocks takes about so much less than a step of a search. */
    private static final int COMPARISONS_PER_STEP = 128;

    /** How certain a join must be, by attempt: nobody knows how much is best. */
    private static final double[] LEAST_SCORES = {0.6, 0, 1.2, 0.3, 2.5, 5, 0.9, 20};

    private final Lane[] lanes = new Lane[LANES];
    private int next;

    BlockSearch(SearchModel model) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[lane] = new Lane(new Blocks(model));
        }
    }

    /** Whether joins mean anything: without slack, alignments and fixed buffers. */
    static boolean serves(SearchModel model, long capacity) {
        boolean serves = model.fixedBuffers.length == 0 && model.coarsestAlignment == 1 && model.isTight(capacity);
        for (int buffer = 0; buffer < model.count && serves; buffer++) {
            serves = model.size[buffer] > 0 && model.highestEnd(buffer, capacity) == capacity / model.unit();
        }
        return serves;
    }

    /** Makes some attempts; later calls make further ones. The steps are those of all that count. */
    Portfolio.Attempt attempt(long capacity, int attempts, PackingRun run) {
        long steps = 0;
        for (int made = 0; made < attempts && steps < run.stepsLeft() && !run.timeIsUp(); made += LANES) {
            long share = (run.stepsLeft() - steps) / LANES;
            int attempt = next;
            next += LANES;
            AtomicBoolean solved = new AtomicBoolean();
            CompletableFuture<Optional<Solution>> second = HelperThread.start(
                    () -> lanes[1].attempt(attempt + 1, capacity, share, () -> solved.get() || run.timeIsUp()));
            Optional<Solution> first = lanes[0].attempt(attempt, capacity, share, run::timeIsUp);
            solved.set(first.isPresent());
            Optional<Solution> found = first.or(second::join);
            second.join();
            steps += lanes[0].steps + (first.isPresent() ? 0 : lanes[1].steps);
            if (found.isPresent()) {
                return new Portfolio.Attempt(SkylineSearch.Verdict.SOLVED, found.get(), steps);
            }
        }
        return new Portfolio.Attempt(SkylineSearch.Verdict.GAVE_UP, null, steps);
    }

    /** One of two attempts at the same time, with its own blocks. */
    private static final class Lane {

        private final Blocks blocks;
        private final BlockMerging merging;
        private long steps;

        Lane(Blocks blocks) {
            this.blocks = blocks;
            this.merging = new BlockMerging(blocks);
        }

        Optional<Solution> attempt(int number, long capacity, long mostSteps, BooleanSupplier stop) {
            int round = number / LEAST_SCORES.length;
            double noise = round == 0 ? 0 : 0.3 + round % 4 * 0.5;
            merging.merge(LEAST_SCORES[number % LEAST_SCORES.length], noise, number);
            steps = merging.comparisons() / COMPARISONS_PER_STEP + 1;
            SearchModel model = new SearchModel(blocks.problem());
            SkylineSearch search = new SkylineSearch(model);
            long failures = Math.max(FEWEST_FAILURES, FAILURES_PER_BLOCK * model.count) * Portfolio.luby(round + 1);
            SkylineSearch.Verdict verdict = SkylineSearch.Verdict.GAVE_UP;
            for (int each = 0; each < SEARCHES_PER_MERGING && steps < mostSteps && !stop.getAsBoolean(); each++) {
                verdict = search.run(capacity, style(number, round, each), failures, mostSteps - steps, stop);
                steps += search.steps();
                if (verdict != SkylineSearch.Verdict.GAVE_UP) {
                    break;
                }
            }
            // If a block search is impossible, the joins were wrong, and nothing is known of the buffers.
            return verdict == SkylineSearch.Verdict.SOLVED
                    ? Optional.of(blocks.solution(search.solution()))
                    : Optional.empty();
        }

        private static SearchStyle style(int number, int round, int search) {
            List<SearchStyle> styles = SearchStyle.WITHOUT_SLACK;
            return styles.get((number * SEARCHES_PER_MERGING + search) % styles.size())
                    .withSeed(round == 0 ? 0 : number);
        }
    }
}
