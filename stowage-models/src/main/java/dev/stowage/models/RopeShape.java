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
 * @param dimensions how many elements of each head are rotated; 0 for all
 * @param longFactors whether every frequency is divided by a factor of its own for contexts up to the original one, and by
 *     another beyond (Phi-3 and later)
 */
public record RopeShape(
        RopeMode mode,
        float base,
        int trainedContext,
        boolean frequencyFactors,
        RopeScaling scaling,
        int dimensions,
        boolean longFactors) {

    public RopeShape {
        Objects.requireNonNull(mode);
        Objects.requireNonNull(scaling);
        if (!(base > 0) || trainedContext < 1) {
            throw new InvalidGraphException("rope needs a base above 0 and a trained context of at least 1, not " + base
                    + " and " + trainedContext);
        }
        if (dimensions < 0 || dimensions % 2 != 0) {
            throw new InvalidGraphException("rope rotates pairs of elements, and not " + dimensions + " elements");
        }
    }

    /** Of whole heads. */
    public RopeShape(RopeMode mode, float base, int trainedContext, boolean frequencyFactors, RopeScaling scaling) {
        this(mode, base, trainedContext, frequencyFactors, scaling, 0, false);
    }

    /** Without scaling. */
    public RopeShape(RopeMode mode, float base, int trainedContext, boolean frequencyFactors) {
        this(mode, base, trainedContext, frequencyFactors, RopeScaling.none());
    }

    RopeShape withoutFrequencyFactors() {
        return new RopeShape(mode, base, trainedContext, false, scaling, dimensions, longFactors);
    }

    /** The same with frequencies that are powers of another base. */
    public RopeShape withBase(float newBase) {
        return new RopeShape(mode, newBase, trainedContext, frequencyFactors, scaling, dimensions, longFactors);
    }

    /** How many of the elements of a head are rotated. */
    public int rotated(int headSize) {
        return dimensions == 0 ? headSize : dimensions;
    }

    /** Whether a context is longer than the original one. */
    boolean isBeyondOriginal(int context) {
        return context > (scaling.originalContext() == 0 ? trainedContext : scaling.originalContext());
    }

    /** The parameters of the op that rotates rows of {@code headSize} elements. */
    OpParameters.Rope parameters(int headSize) {
        return OpParameters.Rope.of(rotated(headSize), mode).withFrequencies(scaling.frequencies(base, trainedContext));
    }
}
