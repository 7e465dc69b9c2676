package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;

/**
 * How much may be computed for the masks of one text, so that a grammar with very many ways to read a text cannot hold up the
 * texts of others. What is counted are nodes of the tree of tokens that are looked at, and ways to read the text, which cost as
 * much as many of these. A text may begin with an expensive mask, and every token adds as much as two looks at all tokens.
 */
final class WorkLimit {

    /** What one way to read the text costs, in nodes. */
    private static final int WAY = 64;

    /** Well under a second of one core. */
    private static final long FIRST = 12_000_000;

    private static final long MORE_PER_TOKEN = 2_000 * WAY;

    private final long perToken;
    private long left = FIRST;

    /** A text of tokens that are in a tree of that many nodes. */
    WorkLimit(int nodes) {
        this.perToken = 2L * nodes + MORE_PER_TOKEN;
    }

    /** One that is never reached. */
    static WorkLimit none() {
        WorkLimit none = new WorkLimit(0);
        none.left = Long.MAX_VALUE;
        return none;
    }

    /** The text has another token; what earlier ones left unused can be used, up to what a text begins with. */
    void token() {
        left = Math.min(FIRST + perToken, left + perToken);
    }

    void node() {
        spend(1);
    }

    void ways(int count) {
        spend((long) WAY * count);
    }

    private void spend(long cost) {
        left -= cost;
        if (left < 0) {
            throw new MalformedDataException(
                    "finding the tokens that may come next takes too long with this grammar: make"
                            + " it less ambiguous, so that there are fewer ways to read one text");
        }
    }
}
