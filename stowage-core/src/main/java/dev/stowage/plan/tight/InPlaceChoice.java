package dev.stowage.plan.tight;

/**
 * Which operand a result takes the place of where it could take that of several. What is live at each node comes out the
 * same; how well the chains can be packed does not.
 */
public enum InPlaceChoice {
    /** The place that has been taken the longest: few long chains, such as the residual stream of a transformer. */
    OLDEST,
    /** The place that was taken last: many short chains. */
    YOUNGEST,
    /** The operand in the first slot, as ggml does. */
    FIRST;

    /** Whether a place taken at one node is preferred to one in an earlier slot that was taken at another. */
    boolean prefers(int from, int otherFrom) {
        return switch (this) {
            case OLDEST -> from < otherFrom;
            case YOUNGEST -> from > otherFrom;
            case FIRST -> false;
        };
    }
}
