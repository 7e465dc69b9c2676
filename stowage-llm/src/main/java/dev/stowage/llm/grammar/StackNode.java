package dev.stowage.llm.grammar;

/**
 * Where to go on once a rule has been read, and what is below that: states, each with its own node. Several ways to read a text
 * share one node where they are in the same rule since the same byte, so that an ambiguous grammar does not multiply them.
 * Immutable, and made once for the same contents.
 */
final class StackNode {

    /** Below the rule that whole texts conform to, where nothing is left to be read. */
    static final StackNode BOTTOM = new StackNode(0, new Configuration[0], true);

    private final long id;
    private final Configuration[] returns;
    private final boolean reachesEnd;

    /**
     * @param id different for every node, the larger the later
     * @param returns sorted
     * @param reachesEnd whether the whole text may end after it
     */
    StackNode(long id, Configuration[] returns, boolean reachesEnd) {
        this.id = id;
        this.returns = returns;
        this.reachesEnd = reachesEnd;
    }

    long id() {
        return id;
    }

    Configuration[] returns() {
        return returns;
    }

    boolean reachesEnd() {
        return reachesEnd;
    }
}
