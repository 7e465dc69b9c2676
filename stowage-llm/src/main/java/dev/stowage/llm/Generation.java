package dev.stowage.llm;

/**
 * A text that was generated, and how that went.
 *
 * @param text the text, without the prompt
 * @param promptTokens how many tokens were run through the model for the prompt
 * @param promptNanos how long that took
 * @param tokens how many tokens were generated, one that ends the text among them
 * @param tokenNanos how long that took, without the prompt
 * @param end why there are no more
 */
public record Generation(String text, int promptTokens, long promptNanos, int tokens, long tokenNanos, End end) {

    /** Why a text ended. */
    public enum End {
        /** The model ended it. */
        END_OF_TEXT,
        /** There were as many tokens as asked for. */
        ENOUGH_TOKENS,
        /** There was no room in the context for another. */
        CONTEXT_FULL,
        /** Somebody stopped it. */
        STOPPED
    }

    private static final double NANOS_PER_SECOND = 1e9;

    /** How fast the prompt was read; 0 where that took no time. */
    public double promptTokensPerSecond() {
        return perSecond(promptTokens, promptNanos);
    }

    /** How fast tokens were generated; 0 where that took no time. The first token comes with the prompt. */
    public double tokensPerSecond() {
        return perSecond(Math.max(0, tokens - 1), tokenNanos);
    }

    private static double perSecond(int count, long nanos) {
        return nanos == 0 ? 0 : count * NANOS_PER_SECOND / nanos;
    }
}
