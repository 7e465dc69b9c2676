package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.tensor.OpParameters;
import dev.stowage.tensor.RopeFrequencies;
import dev.stowage.tensor.RopeMode;
import java.util.Objects;

/**
 * How a transformer turns queries and keys by the positions of their tokens.
 *
 * @param mode which elements are turned together
 * @param base the base of the frequencies
 * @param trainedContext how many positions the model was trained for
 * @param frequencyFactors whether every frequency is divided by a factor of its own (Llama 3.1 and later), which is one
 *     more small weight
 */
public record RopeShape(RopeMode mode, float base, int trainedContext, boolean frequencyFactors) {

    private static final float BETA_FAST = 32f;
    private static final float BETA_SLOW = 1f;

    public RopeShape {
        Objects.requireNonNull(mode);
        if (!(base > 0) || trainedContext < 1) {
            throw new InvalidGraphException("rope needs a base above 0 and a trained context of at least 1, not " + base
                    + " and " + trainedContext);
        }
    }

    /** The parameters of the op that turns whole rows of {@code headSize} elements. */
    OpParameters.Rope parameters(int headSize) {
        RopeFrequencies frequencies = new RopeFrequencies(trainedContext, base, 1f, 0f, 1f, BETA_FAST, BETA_SLOW);
        return OpParameters.Rope.of(headSize, mode).withFrequencies(frequencies);
    }
}
