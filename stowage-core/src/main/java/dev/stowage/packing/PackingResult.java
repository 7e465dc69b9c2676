package dev.stowage.packing;

/**
 * What a packer found, and what it proved.
 *
 * @param solution the best solution found
 * @param lowerBound no solution is lower than this; a search that proved more than the load of the fullest moment has
 *     raised it
 * @param steps the steps it took
 * @param outcome how it ended
 */
public record PackingResult(Solution solution, long lowerBound, long steps, Outcome outcome) {

    /** How packing ended. */
    public enum Outcome {
        /** No solution is lower than the one found. */
        OPTIMAL,
        /** The solution is within the capacity that was asked for; a lower one may exist. */
        FITS,
        /** Nothing fits into the capacity that was asked for: that is proven. */
        DOES_NOT_FIT,
        /** The budget ended before anything was proven, or the packer makes only one attempt. */
        GAVE_UP
    }

    /** The result that follows from the numbers: what was found and proven against what was asked. */
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

    /** The memory the solution takes. */
    public long height() {
        return solution.height();
    }

    /** Whether no lower solution exists: that is proven. */
    public boolean isOptimal() {
        return height() <= lowerBound;
    }

    /** Whether the solution fits into so many bytes. */
    public boolean fits(long capacity) {
        return height() <= capacity;
    }

    /** Whether it is proven that no solution fits into so many bytes. */
    public boolean provesUnfit(long capacity) {
        return lowerBound > capacity;
    }

    /** How far the solution may be above the best one, as a share of the lower bound; 0 for a proven one. */
    public double gap() {
        return lowerBound == 0 ? 0 : (double) (height() - lowerBound) / lowerBound;
    }
}
