package dev.stowage.packing.search;

import dev.stowage.packing.LowerBound;
import dev.stowage.packing.Solution;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lowers the height of one part by asking a {@link Portfolio} for lower and lower capacities. Half of the effort goes
 * to the goal itself, which often succeeds at once. The other half starts halfway between goal and best height, and
 * takes smaller steps where it fails. Every call tries longer.
 */
final class SubproblemSearch {

    private static final int ROUNDS_FOR_THE_GOAL = 4;

    private static final int ATTEMPTS_WITH_BLOCKS = 16;
    private static final int ATTEMPTS_TO_DESCEND = 8;
    private static final int BEAMS_FOR_THE_GOAL = 4;
    private static final int BEAMS_TO_DESCEND = 2;

    /** With slack, more failures can be recovered from. */
    private static final int PATIENCE_WITH_SLACK = 8;

    private final Subproblem part;
    private @Nullable SearchModel model;
    private @Nullable Portfolio withoutSlack;
    private @Nullable Portfolio withSlack;
    private Optional<BlockSearch> blocks = Optional.empty();
    private Optional<BeamSearch> beams = Optional.empty();
    private Solution best;
    private long lowerBound;
    private int round;
    private int goalRound;
    private long goalSteps;
    private long descentSteps;
    private int beamsToDescend;

    /** Starts with the offsets of the part in a solution of the whole. */
    SubproblemSearch(Subproblem part, Solution whole) {
        this.part = part;
        long[] offsets = new long[part.count()];
        Arrays.setAll(offsets, index -> whole.offset(part.member(index)));
        this.best = Solution.of(part.problem(), offsets);
        this.lowerBound = LowerBound.of(part.problem());
    }

    long height() {
        return best.height();
    }

    long lowerBound() {
        return lowerBound;
    }

    /** Writes the offsets of the part into those of the whole. */
    void copyTo(long[] offsets) {
        for (int index = 0; index < best.count(); index++) {
            offsets[part.member(index)] = best.offset(index);
        }
    }

    /**
     * Tries to reach a height; every call tries longer than the one before.
     *
     * @param onlyGoal whether heights above the goal are useless
     */
    void approach(long goal, boolean onlyGoal, PackingRun run) {
        prepare();
        do {
            long target = Math.max(goal, lowerBound);
            if (target == lowerBound && blocks.isPresent()) {
                goalSteps += take(blocks.get().attempt(target, ATTEMPTS_WITH_BLOCKS, run), target, run);
                if (isOpen(goal, run)) {
                    goalSteps += take(beams.orElseThrow().attempt(target, BEAMS_FOR_THE_GOAL, run), target, run);
                }
                if (!isOpen(goal, run)) {
                    return;
                }
            }
            Portfolio portfolio = Objects.requireNonNull(target > lowerBound ? withSlack : withoutSlack);
            goalSteps += take(portfolio.attempt(target, goalRound, ROUNDS_FOR_THE_GOAL, run), target, run);
            goalRound += ROUNDS_FOR_THE_GOAL;
        } while (goalSteps < descentSteps && isOpen(goal, run));
        if (!onlyGoal) {
            descend(goal, run);
        }
    }

    /** Halves the distance to the goal while that succeeds, and takes smaller steps where it does not. */
    private void descend(long goal, PackingRun run) {
        SearchModel units = prepare();
        Portfolio portfolio = Objects.requireNonNull(withSlack);
        long span = (height() - Math.max(goal, lowerBound)) / 2;
        while (span >= units.unit() && isOpen(goal, run)) {
            long target = height() - span;
            Portfolio.Attempt attempt = attempt(portfolio, target, run);
            if (attempt.verdict() == SkylineSearch.Verdict.GAVE_UP) {
                span /= 2;
            } else {
                span = Math.min(span, (height() - Math.max(goal, lowerBound)) / 2);
            }
        }
        round++;
    }

    /**
     * Blocks that were made to leave no slack suit a height that leaves some as well. A beam gets by with little slack too, but
     * how little is not known before, so its target is any lower height, or by turns one much lower, under which it wastes less.
     */
    private Portfolio.Attempt attempt(Portfolio portfolio, long target, PackingRun run) {
        if (beams.isPresent()) {
            boolean isMuchLower = beamsToDescend++ % 2 == 1;
            long lower = isMuchLower
                    ? lowerBound + (height() - lowerBound) / 4
                    : height() - prepare().unit();
            Portfolio.Attempt beam = beams.get().attempt(lower, BEAMS_TO_DESCEND, run);
            descentSteps += take(beam, lower, run);
            if (beam.verdict() == SkylineSearch.Verdict.SOLVED) {
                return beam;
            }
        }
        if (blocks.isPresent()) {
            Portfolio.Attempt joined = blocks.get().attempt(target, ATTEMPTS_TO_DESCEND, run);
            descentSteps += take(joined, target, run);
            if (joined.verdict() == SkylineSearch.Verdict.SOLVED) {
                return joined;
            }
        }
        Portfolio.Attempt attempt = portfolio.attempt(target, round, 1, run);
        descentSteps += take(attempt, target, run);
        return attempt;
    }

    /** Created lazily, since most parts are never searched. */
    private SearchModel prepare() {
        if (model == null) {
            model = new SearchModel(part.problem());
            // Each keeps its own failures, which a larger capacity would clear.
            withoutSlack = new Portfolio(model, 1);
            withSlack = new Portfolio(model, PATIENCE_WITH_SLACK);
            lowerBound = model.possibleHeight(lowerBound);
            if (BlockSearch.serves(model, lowerBound)) {
                blocks = Optional.of(new BlockSearch(model));
                beams = Optional.of(new BeamSearch(model));
            }
        }
        return model;
    }

    /** Whether the part is above the goal and its lower bound, and budget is left. */
    boolean isOpen(long goal, PackingRun run) {
        return height() > Math.max(goal, lowerBound) && run.stepsLeft() > 0 && !run.timeIsUp();
    }

    /** Notes what an attempt found; returns its steps. */
    private long take(Portfolio.Attempt attempt, long capacity, PackingRun run) {
        run.spend(attempt.steps());
        switch (attempt.verdict()) {
            case SOLVED -> best = Objects.requireNonNull(attempt.solution());
            case IMPOSSIBLE -> lowerBound = Math.max(lowerBound, prepare().possibleHeight(capacity + 1));
            case GAVE_UP -> {}
        }
        return attempt.steps();
    }
}
