package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import java.util.ArrayList;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;

/**
 * Whether a plan fits a memory budget, by how much, and which tensors are live at the peak.
 *
 * @param budget the bytes available
 * @param size the bytes the plan needs
 * @param lowerBound the least bytes of any plan with this node order and these in-place results
 * @param deciding the tensors live at the peak of each buffer, largest first
 */
public record BudgetFit(long budget, long size, long lowerBound, List<LiveTensor> deciding) {

    private static final int LISTED = 8;

    public enum Answer {
        /** The plan fits. */
        FITS,
        /** The plan does not fit; a better one might. */
        DOES_NOT_FIT,
        /** No plan with this node order and these in-place results fits. */
        CANNOT_FIT
    }

    /** @throws InvalidPlanException if the budget is negative */
    public BudgetFit {
        if (budget < 0) {
            throw new InvalidPlanException("a budget of " + budget + " bytes is less than none; give 0 or more");
        }
        deciding = List.copyOf(deciding);
    }

    static BudgetFit of(MemoryPlan plan, long budget) {
        List<LiveTensor> deciding = new ArrayList<>();
        for (int buffer = 0; buffer < plan.bufferCount(); buffer++) {
            if (plan.request().firstWithSameType(buffer) == buffer) {
                deciding.addAll(plan.analysis().liveAtPeak(buffer));
            }
        }
        deciding.sort(LiveTensor.LARGEST_FIRST);
        return new BudgetFit(budget, plan.size(), plan.analysis().lowerBound(), deciding);
    }

    public Answer answer() {
        if (fits()) {
            return Answer.FITS;
        }
        return lowerBound > budget ? Answer.CANNOT_FIT : Answer.DOES_NOT_FIT;
    }

    public boolean fits() {
        return size <= budget;
    }

    /** The bytes that are missing; 0 where the plan fits. */
    public long missing() {
        return Math.max(0, size - budget);
    }

    /** The bytes that are left over; 0 where the plan does not fit. */
    public long spare() {
        return Math.max(0, budget - size);
    }

    /** The answer as text, with the live tensors at the peak where the plan does not fit. */
    public String describe() {
        Formatter text = new Formatter(Locale.ROOT);
        if (fits()) {
            text.format("Fits: %,d of %,d bytes, %,d to spare.%n", size, budget, spare());
            return text.toString();
        }
        text.format("Does not fit: %,d of %,d bytes, %,d too many. ", size, budget, missing());
        if (answer() == Answer.CANNOT_FIT) {
            text.format("No plan in this order needs less than %,d:%n", lowerBound);
        } else {
            text.format("A plan of %,d is not ruled out by what is live at once:%n", lowerBound);
        }
        PlanText.list(text, deciding, LISTED);
        return text.toString();
    }
}
