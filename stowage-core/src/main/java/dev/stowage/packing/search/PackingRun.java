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
 * One call of a packer: its budget, the best solution and the proven lower bound so far. Other threads may only read
 * the clock.
 */
final class PackingRun {

    private static final long REPORT_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Problem problem;
    private final Budget budget;
    private final long begin = System.nanoTime();
    private final long timeLimit;
    private final TimeSections timeSections;
    private Solution best;
    private long lowerBound;
    private long steps;
    private long lastReport = begin;

    /** Starts with the stacked solution. */
    PackingRun(Problem problem, Budget budget) {
        this.problem = problem;
        this.budget = budget;
        this.timeLimit = budget.time().map(PackingRun::nanos).orElse(Long.MAX_VALUE);
        this.lowerBound = LowerBound.of(problem);
        this.timeSections = new TimeSections(problem);
        this.best = Solution.of(problem, stacked(problem));
        this.steps = problem.count();
    }

    /** Every buffer above all others: always possible. */
    private static long[] stacked(Problem problem) {
        long[] offsets = new long[problem.count()];
        long top = 0;
        for (int buffer = 0; buffer < offsets.length; buffer++) {
            offsets[buffer] = Math.max(0, problem.fixedOffsetOrNone(buffer));
            top = Math.max(top, problem.isFixed(buffer) ? offsets[buffer] + problem.size(buffer) : 0);
        }
        for (int buffer = 0; buffer < offsets.length; buffer++) {
            if (!problem.isFixed(buffer) && problem.size(buffer) > 0) {
                offsets[buffer] = SizeUnit.roundUp(top, problem.alignment(buffer));
                top = offsets[buffer] + problem.size(buffer);
            }
        }
        return offsets;
    }

    private static long nanos(Duration time) {
        return time.compareTo(Duration.ofNanos(Long.MAX_VALUE)) < 0 ? time.toNanos() : Long.MAX_VALUE;
    }

    Problem problem() {
        return problem;
    }

    TimeSections timeSections() {
        return timeSections;
    }

    Solution best() {
        return best;
    }

    long lowerBound() {
        return lowerBound;
    }

    /** The height to reach: the requested capacity, or the lower bound. */
    long goal() {
        return Math.max(lowerBound, budget.capacity().orElse(0));
    }

    /** Whether a capacity was requested. */
    boolean hasCapacity() {
        return budget.capacity().isPresent();
    }

    /** Records a solution if it is better than the best so far. */
    void offer(long[] offsets) {
        Solution solution = Solution.of(problem, offsets);
        if (solution.height() < best.height()) {
            best = solution;
            report();
        }
    }

    /** Records a proven lower bound. */
    void raiseLowerBound(long height) {
        lowerBound = Math.max(lowerBound, height);
    }

    void spend(long spent) {
        steps += spent;
        if (System.nanoTime() - lastReport > REPORT_INTERVAL_NANOS) {
            report();
        }
    }

    private void report() {
        lastReport = System.nanoTime();
        budget.listener().accept(new PackingProgress(best.height(), lowerBound, steps));
    }

    long stepsLeft() {
        return Math.max(0, budget.steps() - steps);
    }

    /** Whether the time is spent or the caller has cancelled the run. */
    boolean timeIsUp() {
        return System.nanoTime() - begin >= timeLimit || budget.isCancelled();
    }

    /** Whether there is time for something that takes so long. */
    boolean hasTimeFor(long nanos) {
        return nanos <= timeLimit - (System.nanoTime() - begin);
    }

    /** Whether the goal is reached or proven impossible. */
    boolean isDecided() {
        return best.height() <= goal() || lowerBound > budget.capacity().orElse(Long.MAX_VALUE);
    }

    /** Whether the goal is decided or the budget is used up. */
    boolean isDone() {
        return isDecided() || steps >= budget.steps() || timeIsUp();
    }

    PackingResult result() {
        return PackingResult.of(best, lowerBound, steps, budget);
    }
}
