package dev.stowage.packing.search;

import dev.stowage.packing.LowerBound;
import dev.stowage.packing.Solution;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lowers the height of one part, from the best packing known so far, by asking a {@link Portfolio} for lower and lower
 * capacities. Half of the effort goes into what is wanted in the end, because that can often be had at once. The other half
 * starts in the middle between that and what is known to be possible, and where the answer does not come soon asks for
 * less. Every time it is called it tries longer.
 */
final class SubproblemSearch {

    private static final int ROUNDS_FOR_THE_GOAL = 4;

    /** Where there is slack, more dead ends can be got out of. */
    private static final int PATIENCE_WITH_SLACK = 8;

    private final Subproblem part;
    private @Nullable SearchModel model;
    private @Nullable Portfolio withoutSlack;
    private @Nullable Portfolio withSlack;
    private Solution best;
    private long lowerBound;
    private int round;
    private int goalRound;
    private long goalSteps;
    private long descentSteps;

    /** Begins with the offsets that the part has in a solution of the whole. */
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
     * Tries to reach a height, for a while; every call tries longer than the one before.
     *
     * @param onlyGoal whether nothing between the goal and the present height is of use
     */
    void approach(long goal, boolean onlyGoal, PackingRun run) {
        prepare();
        do {
            long wanted = Math.max(goal, lowerBound);
            Portfolio portfolio = Objects.requireNonNull(wanted > lowerBound ? withSlack : withoutSlack);
            goalSteps += attempt(portfolio, wanted, goalRound, ROUNDS_FOR_THE_GOAL, run)
                    .steps();
            goalRound += ROUNDS_FOR_THE_GOAL;
        } while (goalSteps < descentSteps && isOpen(goal, run));
        if (!onlyGoal) {
            descend(goal, run);
        }
    }

    /** Halves the way to the goal as often as that succeeds, and tries smaller steps where it does not. */
    private void descend(long goal, PackingRun run) {
        SearchModel units = prepare();
        Portfolio portfolio = Objects.requireNonNull(withSlack);
        long span = (height() - Math.max(goal, lowerBound)) / 2;
        while (span >= units.unit() && isOpen(goal, run)) {
            Portfolio.Attempt attempt = attempt(portfolio, height() - span, round, 1, run);
            descentSteps += attempt.steps();
            if (attempt.verdict() == SkylineSearch.Verdict.GAVE_UP) {
                span /= 2;
            } else {
                span = Math.min(span, (height() - Math.max(goal, lowerBound)) / 2);
            }
        }
        round++;
    }

    /** Most parts never stand in the way, so what a search needs is made when the first one begins. */
    private SearchModel prepare() {
        if (model == null) {
            model = new SearchModel(part.problem());
            // Each learns from its own dead ends: those that are none with slack are forgotten otherwise.
            withoutSlack = new Portfolio(model, 1);
            withSlack = new Portfolio(model, PATIENCE_WITH_SLACK);
            lowerBound = model.possibleHeight(lowerBound);
        }
        return model;
    }

    /** Whether the part stands in the way of the goal and there is hope and time to change that. */
    boolean isOpen(long goal, PackingRun run) {
        return height() > Math.max(goal, lowerBound) && run.stepsLeft() > 0 && !run.timeIsUp();
    }

    private Portfolio.Attempt attempt(Portfolio portfolio, long capacity, int firstRound, int rounds, PackingRun run) {
        Portfolio.Attempt attempt = portfolio.attempt(capacity, firstRound, rounds, run);
        run.spend(attempt.steps());
        switch (attempt.verdict()) {
            case SOLVED -> best = Objects.requireNonNull(attempt.solution());
            case IMPOSSIBLE -> lowerBound = Math.max(lowerBound, prepare().possibleHeight(capacity + 1));
            case GAVE_UP -> {}
        }
        return attempt;
    }
}
