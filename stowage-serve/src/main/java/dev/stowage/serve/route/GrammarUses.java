package dev.stowage.serve.route;

import dev.stowage.llm.grammar.Grammar;
import dev.stowage.serve.wire.ApiError;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Counts the grammars of the requests that run and wait. A few bytes of a request can be a grammar of many megabytes, so the
 * length of bodies does not limit them. Thread-safe.
 */
final class GrammarUses {

    /** How many states and edges all of them may have together. */
    private static final long LARGEST = 8_000_000;

    private final Map<Grammar, Integer> uses = new HashMap<>();
    private long size;

    /** That a grammar is used, until it is closed. */
    @FunctionalInterface
    interface Use extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Counts a grammar once, however many requests use it.
     *
     * @throws ApiError if there are too many
     */
    Use of(Optional<Grammar> grammar) {
        if (grammar.isEmpty()) {
            return () -> {};
        }
        begin(grammar.get());
        return () -> end(grammar.get());
    }

    private synchronized void begin(Grammar grammar) {
        int more = uses.containsKey(grammar) ? 0 : grammar.size();
        if (size + more > LARGEST) {
            throw ApiError.busy("too many large grammars are in use: try again later");
        }
        size += more;
        uses.merge(grammar, 1, Integer::sum);
    }

    private synchronized void end(Grammar grammar) {
        if (uses.merge(grammar, -1, Integer::sum) == 0) {
            uses.remove(grammar);
            size -= grammar.size();
        }
    }
}
