package dev.stowage.packing;

/**
 * The result of a packer.
 *
 * @param solution the best solution found
 * @param lowerBound the proven lower bound
 * @param steps the steps used
 * @param outcome how it ended
 */
public record PackingResult(Solution solution, long lowerBound, long steps, Outcome outcome) {

    public enum Outcome {
        /** No solution is lower than the one found. */
        OPTIMAL,
        /** The solution is within the requested capacity; a lower one may exist. */
        FITS,
        /** It is proven that no solution fits the requested capacity. */
        DOES_NOT_FIT,
        /** The budget ended before a proof, or the packer makes only one attempt. */
        GAVE_UP
    }

    /** The result with the outcome that follows from solution, bound and budget. */
    public static PackingResult of(Solution solution, long lowerBound, long steps, Budget budget) {
        long capacity = budget.capacity().orElse(Long.MAX_VALUE);
        Outcome outcome;
        if (solution.height() <= lowerBound && solution.height() <= capacity) {
            outcome = Outcome.OPTIMAL;
        } else if (lowerBound > capacity) {
            outcome = Outcome.DOES_NOT_FIT;
        } else if (budget.capacity().isPresent() && solution.height() <= capacity) {
            outcome = Outcome.FITS;
        } else {
            outcome = Outcome.GAVE_UP;
        }
        return new PackingResult(solution, lowerBound, steps, outcome);
    }

    /** The height of the solution. */
    public long height() {
        return solution.height();
    }

    /** Whether the solution is proven optimal. */
    public boolean isOptimal() {
        return height() <= lowerBound;
    }

    /** Whether the solution fits a capacity. */
    public boolean fits(long capacity) {
        return height() <= capacity;
    }

    /** Whether it is proven that no solution fits a capacity. */
    public boolean provesUnfit(long capacity) {
        return lowerBound > capacity;
    }

    /** The optimality gap relative to the lower bound; 0 if optimal. */
    public double gap() {
        return lowerBound == 0 ? 0 : (double) (height() - lowerBound) / lowerBound;
    }
}
