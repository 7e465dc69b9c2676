package dev.stowage.llm.engine;

import dev.stowage.error.InvalidPlanException;

/**
 * How an engine shares its model. How many requests run at once and how large their common cache is are options of the
 * model: {@link dev.stowage.llm.ModelOptions#withSequences} and {@link dev.stowage.llm.ModelOptions#withContext}.
 *
 * @param queueLimit how many requests may wait for a slot; more are refused
 * @param promptPiece how many tokens of prompts are read in one step while other requests generate. Fewer keep their
 *     streams even, more read prompts faster
 */
public record EngineOptions(int queueLimit, int promptPiece) {

    private static final EngineOptions DEFAULTS = new EngineOptions(256, 128);

    /**
     * @throws InvalidPlanException if a number is impossible
     */
    public EngineOptions {
        if (queueLimit < 0 || promptPiece < 1) {
            throw new InvalidPlanException("an engine cannot have a queue of " + queueLimit + " requests and read "
                    + promptPiece + " tokens of prompts at once: the first must be at least 0, the second at least 1");
        }
    }

    /** A queue of 256 requests, and prompts in pieces of 128 tokens while others generate. */
    public static EngineOptions defaults() {
        return DEFAULTS;
    }

    public EngineOptions withQueueLimit(int changed) {
        return new EngineOptions(changed, promptPiece);
    }

    public EngineOptions withPromptPiece(int changed) {
        return new EngineOptions(queueLimit, changed);
    }
}
