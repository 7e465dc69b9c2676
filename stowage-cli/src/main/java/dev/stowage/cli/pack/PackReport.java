package dev.stowage.cli.pack;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.packing.Budget;
import dev.stowage.packing.LowerBound;
import dev.stowage.packing.Packer;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.SolutionCheck;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * The report of a packing: the problem, the packer, its budget and the result. The solution is always checked.
 *
 * @param source where the problem is from
 * @param packer the name of the packer
 * @param nanoseconds how long it took
 * @param isTimeSpent whether that was all the time it had
 */
record PackReport(
        String source,
        Problem problem,
        String packer,
        Budget budget,
        PackingResult result,
        long nanoseconds,
        boolean isTimeSpent) {

    /**
     * Packs, and checks what comes of it.
     *
     * @throws IllegalStateException if the packer is wrong, which is a fault of this program and never of its user
     */
    static PackReport of(String source, Problem problem, Packer packer, Budget budget) {
        long start = System.nanoTime();
        PackingResult result = packer.pack(problem, budget);
        long nanoseconds = System.nanoTime() - start;
        String internal = "internal error, please report it: the packer '" + packer.name() + "' ";
        try {
            SolutionCheck.requireValid(problem, result.solution());
        } catch (InvalidPlanException e) {
            throw new IllegalStateException(internal + "is wrong about " + source + ": " + e.getMessage(), e);
        }
        if (result.height() < result.lowerBound()) {
            throw new IllegalStateException(internal + "found a packing of " + source + " with " + result.height()
                    + " bytes after proving that " + result.lowerBound() + " are needed");
        }
        return new PackReport(source, problem, packer.name(), budget, result, nanoseconds, false);
    }

    /** The same, with the time that was allowed for reading and packing together. */
    PackReport withTimeLimit(Duration limit) {
        boolean spent =
                budget.time().filter(left -> nanoseconds >= left.toNanos()).isPresent();
        return new PackReport(source, problem, packer, budget.withTime(limit), result, nanoseconds, spent);
    }

    /** The requested capacity; empty where the height was to be as low as possible. */
    OptionalLong capacity() {
        return budget.capacity();
    }

    /** Whether the solution is within the capacity, if there is one. */
    boolean fits() {
        return result.fits(capacity().orElse(Long.MAX_VALUE));
    }

    /** Height to lower bound; 1 where nothing has a byte. */
    double ratio() {
        return 1 + result.gap();
    }

    /** The bytes of all buffers, had each memory of its own. */
    long sumOfSizes() {
        long sum = 0;
        for (int buffer = 0; buffer < problem.count(); buffer++) {
            sum += problem.size(buffer);
        }
        return sum;
    }

    /** Whether every buffer had its offset, so that they were only checked. */
    boolean isCheck() {
        return problem.count() > 0 && IntStream.range(0, problem.count()).allMatch(problem::isFixed);
    }

    /** The lower bound if no buffer had an offset. */
    long freeLowerBound() {
        return LowerBound.peakLoad(problem);
    }

    /** Why the packer stopped, where it stopped without having proven anything. */
    String end() {
        if (budget.isCancelled()) {
            return "it was interrupted";
        }
        if (budget.steps() != Long.MAX_VALUE && budget.steps() - result.steps() < problem.count()) {
            return String.format(Locale.ROOT, "the budget of %,d steps is spent", budget.steps());
        }
        if (isTimeSpent) {
            return "the budget of " + budget.time().map(PackReport::span).orElse("") + " is spent";
        }
        return "'" + packer + "' has ended its search";
    }

    /** A duration as human-readable text. */
    static String span(Duration time) {
        double seconds = time.toNanos() / 1e9;
        if (seconds < 1) {
            return String.format(Locale.ROOT, "%.1f ms", seconds * 1e3).replace(".0 ", " ");
        }
        return String.format(Locale.ROOT, "%.2f s", seconds).replace(".00 ", " ");
    }
}
