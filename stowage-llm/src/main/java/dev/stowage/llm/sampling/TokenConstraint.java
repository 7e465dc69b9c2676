package dev.stowage.llm.sampling;

/**
 * Which tokens may come next in one text, as a grammar says. It has the state of that text, so every text needs one of its
 * own. For one thread at a time.
 */
public interface TokenConstraint {

    /**
     * Sets the logits of all tokens that may not come next to negative infinity. Tokens that end a text stay only where the
     * text may end.
     *
     * @throws dev.stowage.error.StowageException if no token may come next
     */
    void mask(float[] logits);

    /**
     * Takes note of the token that was chosen.
     *
     * @throws dev.stowage.error.StowageException if it may not come next
     */
    void accept(int token);

    /** Whether the text is complete and nothing can follow. */
    boolean mustEnd();
}
