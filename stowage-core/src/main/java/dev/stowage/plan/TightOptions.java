package dev.stowage.plan;

import dev.stowage.error.InvalidPlanException;
import java.util.Objects;

/**
 * What the planner {@code tight} may do.
 *
 * @param inPlace which results may take the place of an operand: what the kernels that will run the plan get right
 * @param steps how long to look for a better packing of one kind of memory where the first is not known to be the best,
 *     in buffers that are given or refused a place; counted alike on every machine, so that plans can be repeated
 */
public record TightOptions(InPlaceRules inPlace, long steps) {

    private static final long STANDARD_STEPS = 20_000;

    /**
     * @throws InvalidPlanException if the number of steps is negative
     */
    public TightOptions {
        Objects.requireNonNull(inPlace);
        if (steps < 0) {
            throw new InvalidPlanException("a planner cannot take " + steps + " steps; give 0 or more");
        }
    }

    /** All that kernels must be right with in place, and as many steps as a few milliseconds have. */
    public static TightOptions standard() {
        return new TightOptions(InPlaceRules.kernels(), STANDARD_STEPS);
    }

    /** The same for kernels that can do other things in place. */
    public TightOptions withInPlace(InPlaceRules newInPlace) {
        return new TightOptions(newInPlace, steps);
    }

    /** The same with another number of steps. */
    public TightOptions withSteps(long newSteps) {
        return new TightOptions(inPlace, newSteps);
    }
}
