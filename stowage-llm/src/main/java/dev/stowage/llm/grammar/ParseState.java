package dev.stowage.llm.grammar;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known of a text after its last byte: all ways to have read it. What follows from that is computed when it
 * is first asked for, and kept. Guarded by the {@link Machine} that made it.
 */
final class ParseState {

    /** The ways to have read the text, none of them at the very end of a rule with nothing to come. */
    private final Configuration[] kernel;

    /** Whether one of the ways was the end of the whole text. */
    private final boolean ended;

    /** By class of bytes the state after one: null while unknown. */
    private @Nullable ParseState @Nullable [] next;

    /** The configurations that read a byte, with all rules that begin here; null while unknown. */
    private Configuration @Nullable [] reading;

    private boolean mayEnd;

    ParseState(Configuration[] kernel, boolean ended) {
        this.kernel = kernel;
        this.ended = ended;
    }

    Configuration[] kernel() {
        return kernel;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Whether no text that begins so conforms to the grammar. */
    boolean isDead() {
        return kernel.length == 0 && !ended;
    }

    Configuration @Nullable [] reading() {
        return reading;
    }

    /** Whether the text may end here. Known once {@link #reading()} is. */
    boolean mayEnd() {
        return mayEnd;
    }

    void close(Configuration[] found, boolean end) {
        reading = found;
        mayEnd = end;
    }

    @Nullable
    ParseState next(int byteClass) {
        return next == null ? null : next[byteClass];
    }

    void setNext(int byteClass, ParseState state, int classes) {
        if (next == null) {
            next = new ParseState[classes];
        }
        next[byteClass] = state;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ParseState state && ended == state.ended && Arrays.equals(kernel, state.kernel);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(kernel) + Boolean.hashCode(ended);
    }
}
