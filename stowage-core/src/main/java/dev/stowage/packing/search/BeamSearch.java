package dev.stowage.packing.search;

import dev.stowage.packing.Solution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Packs a problem without slack by a beam search: of all packings of so many buffers that one more buffer makes, the most
 * promising are kept, and no step is ever taken back. It finds packings where a search that goes back has too much to go back
 * over, and where none without waste is found, one that wastes little. Two beams are followed at a time; the result is that
 * of the first which succeeds, so it does not depend on the machine.
 */
final class BeamSearch {

    private static final int LANES = 2;

    /** How many packings are kept, by pair of attempts. */
    private static final int[] WIDTHS = {400, 400, 1600, 400, 400, 1600, 6400};

    /** Placing a buffer takes about so much less than a step of a search that goes back. */
    private static final int PLACED_PER_STEP = 2;

    /** The part of the height that is an acceptable waste. */
    private static final double ACCEPTABLE = 0.05;

    /**
     * What large buffers that are left count against a packing, by pair of attempts: small ones are easier to place last, but
     * without slack each has a place of its own.
     */
    private static final double[] WEIGHTS_OF_THE_REST = {0, 0.05, 0.1};

    /** More ways than there can be to place a buffer. */
    private static final int INDEX_BITS = 26;

    private final SearchModel model;
    private final Lane[] lanes = new Lane[LANES];
    private int next;

    /** A search without attempts so far. */
    BeamSearch(SearchModel model) {
        this.model = model;
        Arrays.setAll(lanes, _ -> new Lane(model));
    }

    /** Makes some attempts, in pairs; later calls make further ones. The steps are those of all that count. */
    Portfolio.Attempt attempt(long capacity, int attempts, PackingRun run) {
        long steps = 0;
        long most = capacity / model.unit();
        for (int made = 0; made < attempts && steps < run.stepsLeft() && !run.timeIsUp(); made += LANES) {
            long share = (run.stepsLeft() - steps) / LANES;
            int attempt = next;
            next += LANES;
            AtomicBoolean solved = new AtomicBoolean();
            CompletableFuture<Optional<Solution>> other = HelperThread.start(
                    () -> lanes[1].attempt(attempt + 1, most, share, () -> solved.get() || run.timeIsUp()));
            Optional<Solution> first = lanes[0].attempt(attempt, most, share, run::timeIsUp);
            solved.set(first.isPresent());
            Optional<Solution> second = other.join();
            Optional<Solution> found = first.isPresent() ? first : second;
            steps += lanes[0].steps() + (first.isPresent() ? 0 : lanes[1].steps());
            if (found.isPresent()) {
                return new Portfolio.Attempt(SkylineSearch.Verdict.SOLVED, found.get(), steps);
            }
        }
        return new Portfolio.Attempt(SkylineSearch.Verdict.GAVE_UP, null, steps);
    }

    /** One beam. */
    private static final class Lane {

        private final SearchModel model;
        private final long[] keys;
        private final int[] counts;
        private final int[] candidates;
        private final double scale;
        private final double perArea;
        private long placed;
        private boolean anywhere;

        // Every way to place one buffer more: its score, the packing it begins with, and the buffer.
        private double[] score = new double[1024];
        private int[] base = new int[1024];
        private int[] added = new int[1024];
        private int ways;

        Lane(SearchModel model) {
            this.model = model;
            this.keys = new SplittableRandom(model.count).longs(model.count).toArray();
            this.counts = new int[model.sections + 1];
            this.candidates = new int[model.count];
            double area = 0;
            for (int buffer = 0; buffer < model.count; buffer++) {
                area += (double) model.size[buffer] * (model.end[buffer] - model.first[buffer]);
            }
            this.perArea = model.count / area;
            this.scale = 1 / (ACCEPTABLE * area / model.sections * area / model.count);
        }

        long steps() {
            return placed / PLACED_PER_STEP + 1;
        }

        Optional<Solution> attempt(int number, long capacity, long mostSteps, BooleanSupplier stop) {
            placed = 0;
            SplittableRandom random = new SplittableRandom(number);
            int pair = number / LANES;
            int width = WIDTHS[pair % WIDTHS.length];
            double restWeight = WEIGHTS_OF_THE_REST[pair % WEIGHTS_OF_THE_REST.length] * perArea;
            // The first of a pair goes on where the fewest buffers fit, the second at the lowest floor.
            anywhere = number % LANES == 0;
            double noise = number < LANES ? 0.01 : 0.5 * (number % 5 + 1);
            BeamState start = new BeamState(model, capacity);
            List<BeamState> beam = start.fits() && start.settle(counts, anywhere) ? List.of(start) : List.of();
            while (!beam.isEmpty() && steps() < mostSteps && !stop.getAsBoolean()) {
                Optional<BeamState> complete =
                        beam.stream().filter(BeamState::isComplete).findFirst();
                if (complete.isPresent()) {
                    return Optional.of(model.solution(complete.get().offsets()));
                }
                collect(beam, random, noise, restWeight);
                beam = best(beam, width);
            }
            return Optional.empty();
        }

        private void collect(List<BeamState> beam, SplittableRandom random, double noise, double restWeight) {
            ways = 0;
            for (int at = 0; at < beam.size(); at++) {
                BeamState state = beam.get(at);
                double wasted = state.waste() * scale;
                int count = state.candidates(candidates);
                ensureRoom(ways + count);
                for (int index = 0; index < count; index++) {
                    score[ways] = wasted
                            + state.edgesWith(candidates[index])
                            + state.areaLeftWith(candidates[index]) * restWeight
                            + noise * random.nextDouble();
                    base[ways] = at;
                    added[ways++] = candidates[index];
                }
            }
        }

        /** The most promising ways, carried out; of those that place the same buffers only the first. */
        private List<BeamState> best(List<BeamState> beam, int width) {
            List<BeamState> kept = new ArrayList<>();
            Set<Long> seen = new HashSet<>();
            for (int way : ranked()) {
                BeamState from = beam.get(base[way]);
                long key = from.key() ^ keys[added[way]];
                if (seen.add(key)) {
                    placed++;
                    BeamState state = from.with(added[way], key);
                    if (state.settle(counts, anywhere)) {
                        kept.add(state);
                    }
                    if (kept.size() == width) {
                        break;
                    }
                }
            }
            return kept;
        }

        private int[] ranked() {
            // Scores are not negative, so their bits are ordered as they are; the lowest make room for the index.
            long index = (1L << INDEX_BITS) - 1;
            long[] order = new long[ways];
            Arrays.setAll(order, way -> (Double.doubleToLongBits(score[way]) & ~index) | way);
            Arrays.sort(order);
            return Arrays.stream(order).mapToInt(each -> (int) (each & index)).toArray();
        }

        private void ensureRoom(int room) {
            if (room > score.length) {
                score = Arrays.copyOf(score, 2 * room);
                base = Arrays.copyOf(base, 2 * room);
                added = Arrays.copyOf(added, 2 * room);
            }
        }
    }
}
