package dev.stowage.plan.tight;

/**
 * Which operand a result overwrites if it could overwrite several. The live bytes at each node are the same, but chains
 * pack differently well.
 */
public enum InPlaceChoice {
    /** The oldest chain: few long chains, such as the residual stream of a transformer. */
    OLDEST,
    /** The youngest chain: many short chains. */
    YOUNGEST,
    /** The operand in the first slot, as ggml does. */
    FIRST;

    /** Whether a chain that starts at {@code from} is preferred to one from an earlier slot. */
    boolean prefers(int from, int otherFrom) {
        return switch (this) {
            case OLDEST -> from < otherFrom;
            case YOUNGEST -> from > otherFrom;
            case FIRST -> false;
        };
    }
}
