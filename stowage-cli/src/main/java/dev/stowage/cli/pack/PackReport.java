package dev.stowage.cli.pack;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.packing.Budget;
import dev.stowage.packing.Packer;
import dev.stowage.packing.PackingResult;
import dev.stowage.packing.Problem;
import dev.stowage.packing.SolutionCheck;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * The report of a packing: the problem, the packer, its budget and the result. The solution is always checked.
 *
 * @param source where the problem is from
 * @param packer the name of the packer
 * @param nanoseconds how long it took
 */
record PackReport(
        String source, Problem problem, String packer, Budget budget, PackingResult result, long nanoseconds) {

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
        return new PackReport(source, problem, packer.name(), budget, result, nanoseconds);
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

    /** Why the packer stopped, where it stopped without having proven anything. */
    String end() {
        if (result.steps() >= budget.steps()) {
            return String.format(Locale.ROOT, "the budget of %,d steps is spent", budget.steps());
        }
        if (budget.time().filter(limit -> nanoseconds >= limit.toNanos()).isPresent()) {
            return "the budget of " + span(budget.time().get()) + " is spent";
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
