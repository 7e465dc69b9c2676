package dev.stowage.cli.plan;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.models.ModelGraph;
import dev.stowage.plan.BudgetFit;
import dev.stowage.plan.LiveTensor;
import dev.stowage.plan.MemoryPlan;
import dev.stowage.plan.order.Reordering;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code stowage plan} reports, in any format.
 *
 * @param run the model and how it is run
 * @param plan the plan for its results
 * @param nanoseconds how long planning took
 * @param reordering the order the nodes run in, if another was requested
 * @param fit how the plan fits into the budget, if there is one
 */
record PlanReport(
        ModelArguments.Run run,
        MemoryPlan plan,
        long nanoseconds,
        @Nullable Reordering reordering,
        @Nullable BudgetFit fit) {
    private static final int LARGEST = 5;

    /** A report of a plan in the order the model has, with no budget. */
    PlanReport(ModelArguments.Run run, MemoryPlan plan, long nanoseconds) {
        this(run, plan, nanoseconds, null, null);
    }

    ModelGraph model() {
        return run.model();
    }

    /** Whether the plan fits into the budget, if there is one. */
    boolean fits() {
        return fit == null || fit.fits();
    }

    /** The bytes that sharing memory between results saves. */
    long savedBytes() {
        return Math.max(0, plan.analysis().sumOfSizes() - plan.size());
    }

    /** The part of all results' bytes that sharing memory saves. */
    double savedShare() {
        long sum = plan.analysis().sumOfSizes();
        return sum == 0 ? 0 : (double) savedBytes() / sum;
    }

    /** The bytes of weights, cache and results together. */
    long totalBytes() {
        try {
            return Math.addExact(Math.addExact(model().weightBytes(), model().cacheBytes()), plan.size());
        } catch (ArithmeticException _) {
            throw new InvalidPlanException(
                    "weights, cache and results of " + run.how().name() + " have more bytes than can be counted");
        }
    }

    /** What is live where the most is, largest first. */
    List<LiveTensor> liveAtPeak() {
        return plan.analysis().liveAtPeak(0);
    }

    /** The largest of those. */
    List<LiveTensor> largestAtPeak() {
        List<LiveTensor> live = liveAtPeak();
        return live.subList(0, Math.min(LARGEST, live.size()));
    }
}
