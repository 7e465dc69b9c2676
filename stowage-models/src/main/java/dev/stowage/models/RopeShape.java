package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeMode;
import java.util.Objects;

/**
 * How a transformer rotates queries and keys by the positions of their tokens.
 *
 * @param mode which elements are turned together
 * @param base the base of the frequencies
 * @param trainedContext how many positions the model was trained for
 * @param frequencyFactors whether every frequency is divided by a factor of its own (Llama 3.1 and later), which is one
 *     more small weight
 * @param scaling how positions beyond those are reached
 */
public record RopeShape(RopeMode mode, float base, int trainedContext, boolean frequencyFactors, RopeScaling scaling) {

    public RopeShape {
        Objects.requireNonNull(mode);
        Objects.requireNonNull(scaling);
        if (!(base > 0) || trainedContext < 1) {
            throw new InvalidGraphException("rope needs a base above 0 and a trained context of at least 1, not " + base
                    + " and " + trainedContext);
        }
    }

    /** Without scaling. */
    public RopeShape(RopeMode mode, float base, int trainedContext, boolean frequencyFactors) {
        this(mode, base, trainedContext, frequencyFactors, RopeScaling.none());
    }

    RopeShape withoutFrequencyFactors() {
        return new RopeShape(mode, base, trainedContext, false, scaling);
    }

    /** The parameters of the op that rotates whole rows of {@code headSize} elements. */
    OpParameters.Rope parameters(int headSize) {
        return OpParameters.Rope.of(headSize, mode).withFrequencies(scaling.frequencies(base, trainedContext));
    }
}
