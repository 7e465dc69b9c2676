package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import java.util.Objects;

/**
 * Options of the planner {@code tight}.
 *
 * @param inPlace which operands the kernels allow a result to overwrite
 * @param steps how long to search for a better packing of one memory, in buffers placed or rejected; a count instead of
 *     a time makes plans reproducible
 */
public record TightOptions(InPlaceRules inPlace, long steps) {

    private static final long STANDARD_STEPS = 20_000;

    /** @throws InvalidPlanException if the number of steps is negative */
    public TightOptions {
        Objects.requireNonNull(inPlace);
        if (steps < 0) {
            throw new InvalidPlanException("a planner cannot take " + steps + " steps; give 0 or more");
        }
    }

    /** The in-place rules of all kernels, and steps for a few milliseconds. */
    public static TightOptions standard() {
        return new TightOptions(InPlaceRules.kernels(), STANDARD_STEPS);
    }

    public TightOptions withInPlace(InPlaceRules newInPlace) {
        return new TightOptions(newInPlace, steps);
    }

    public TightOptions withSteps(long newSteps) {
        return new TightOptions(inPlace, newSteps);
    }
}
