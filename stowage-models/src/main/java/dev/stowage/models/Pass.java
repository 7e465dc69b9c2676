package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import java.util.Objects;

/**
 * One way through a model: what its graph depends on beside the model and the cache.
 *
 * @param tokens how many tokens go through at once
 * @param cells how many of the cache's cells they may look at, from the first on
 * @param windowCells how many cells they may look at in layers with a window, at most
 * @param outputs for how many of the tokens logits are wanted
 * @param choice which token is chosen for each output, by the last ops of the graph
 */
public record Pass(int tokens, int cells, int windowCells, int outputs, TokenChoice choice) {

    /**
     * @throws InvalidGraphException if one of them is below 1, or there are more outputs than tokens
     */
    public Pass {
        Objects.requireNonNull(choice);
        if (tokens < 1 || cells < 1 || windowCells < 1 || outputs < 1 || outputs > tokens) {
            throw new InvalidGraphException("no pass has " + tokens + " tokens, " + cells + " cells and " + outputs
                    + " outputs: each must be at least 1, and outputs at most as many as tokens");
        }
    }

    /** A pass that looks at as many cells in layers with a window as in others. */
    public Pass(int tokens, int cells, int outputs, TokenChoice choice) {
        this(tokens, cells, cells, outputs, choice);
    }

    /** A pass that ends with logits. */
    public Pass(int tokens, int cells, int outputs) {
        this(tokens, cells, outputs, TokenChoice.NONE);
    }

    /** The same with a token chosen for each output. */
    public Pass withChoice(TokenChoice changed) {
        return new Pass(tokens, cells, windowCells, outputs, changed);
    }
}
