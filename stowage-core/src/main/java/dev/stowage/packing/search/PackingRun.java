package dev.stowage.packing.search;

import dev.stowage.packing.Budget;
import dev.stowage.packing.LowerBound;
import dev.stowage.packing.PackingProgress;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.Solution;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * One call of a packer: its budget and what is left of it, the best solution so far, and what is proven so far. Only the
 * clock may be read from other threads.
 */
final class PackingRun {

    private static final long BETWEEN_SIGNS_OF_LIFE = TimeUnit.MILLISECONDS.toNanos(200);

    private final Problem problem;
    private final Budget budget;
    private final long begin = System.nanoTime();
    private final long timeLimit;
    private Solution best;
    private long lowerBound;
    private long steps;
    private long lastSign = begin;

    /** Begins with a solution in hand. */
    PackingRun(Problem problem, Budget budget) {
        this.problem = problem;
        this.budget = budget;
        this.timeLimit = budget.time().map(PackingRun::nanos).orElse(Long.MAX_VALUE);
        this.lowerBound = LowerBound.of(problem);
        this.best = Solution.of(problem, new GapFit(problem).stacked());
        this.steps = problem.count();
    }

    private static long nanos(Duration time) {
        return time.compareTo(Duration.ofNanos(Long.MAX_VALUE)) < 0 ? time.toNanos() : Long.MAX_VALUE;
    }

    Problem problem() {
        return problem;
    }

    Solution best() {
        return best;
    }

    long lowerBound() {
        return lowerBound;
    }

    /** The height at which there is nothing more to do: the capacity asked for, or the lower bound. */
    long goal() {
        return Math.max(lowerBound, budget.capacity().orElse(0));
    }

    /** Whether a capacity was asked for. */
    boolean hasCapacity() {
        return budget.capacity().isPresent();
    }

    /** Takes a solution, if it is better than the best so far. */
    void offer(long[] offsets) {
        Solution solution = Solution.of(problem, offsets);
        if (solution.height() < best.height()) {
            best = solution;
            tell();
        }
    }

    /** Takes down that nothing lower than this exists. */
    void raiseLowerBound(long height) {
        lowerBound = Math.max(lowerBound, height);
    }

    void spend(long spent) {
        steps += spent;
        if (System.nanoTime() - lastSign > BETWEEN_SIGNS_OF_LIFE) {
            tell();
        }
    }

    private void tell() {
        lastSign = System.nanoTime();
        budget.listener().accept(new PackingProgress(best.height(), lowerBound, steps));
    }

    long stepsLeft() {
        return Math.max(0, budget.steps() - steps);
    }

    boolean timeIsUp() {
        return System.nanoTime() - begin >= timeLimit;
    }

    /** Whether nothing more is to be done: the goal is reached or out of reach, or the budget is spent. */
    boolean isDone() {
        return best.height() <= goal()
                || lowerBound > budget.capacity().orElse(Long.MAX_VALUE)
                || steps >= budget.steps()
                || timeIsUp();
    }

    PackingResult result() {
        return PackingResult.of(best, lowerBound, steps, budget);
    }
}
