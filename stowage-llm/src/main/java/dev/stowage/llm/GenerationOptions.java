package dev.stowage.llm;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.llm.sampling.SamplingOptions;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * How text is generated.
 *
 * @param maxTokens how many tokens at most; {@link #UNLIMITED} for no limit but the context
 * @param sampling how each is chosen
 * @param stop asked before each token; once it says true, that was the last
 */
public record GenerationOptions(int maxTokens, SamplingOptions sampling, BooleanSupplier stop) {

    /** Until the model ends the text, or the context is full. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    private static final GenerationOptions DEFAULTS =
            new GenerationOptions(UNLIMITED, SamplingOptions.defaults(), () -> false);

    /**
     * @throws InvalidPlanException if the number of tokens is negative
     */
    public GenerationOptions {
        if (maxTokens < 0) {
            throw new InvalidPlanException("at least 0 tokens can be generated, not " + maxTokens);
        }
        Objects.requireNonNull(sampling);
        Objects.requireNonNull(stop);
    }

    /** Until the model ends the text or the context is full, with a little chance. */
    public static GenerationOptions defaults() {
        return DEFAULTS;
    }

    public GenerationOptions withMaxTokens(int changed) {
        return new GenerationOptions(changed, sampling, stop);
    }

    public GenerationOptions withSampling(SamplingOptions changed) {
        return new GenerationOptions(maxTokens, changed, stop);
    }

    /** Stops before the next token once that says true. */
    public GenerationOptions withStop(BooleanSupplier changed) {
        return new GenerationOptions(maxTokens, sampling, changed);
    }
}
