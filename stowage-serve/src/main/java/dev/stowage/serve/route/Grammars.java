package dev.stowage.serve.route;

import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.grammar.Grammar;
import dev.stowage.serve.wire.ApiError;
import dev.stowage.serve.wire.TextFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Compiles what texts must conform to, in the thread of the request so that no text waits for it, and keeps the last ones:
 * clients send the same schema again and again, and a grammar gets faster with every text.
 */
final class Grammars {

    private static final int MOST_KEPT = 32;

    private final Map<TextFormat, Grammar> kept = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<TextFormat, Grammar> eldest) {
            return size() > MOST_KEPT;
        }
    };

    /** The grammar of a request that asks for one. */
    Optional<Grammar> of(Optional<TextFormat> format) {
        return format.map(this::of);
    }

    private Grammar of(TextFormat format) {
        synchronized (kept) {
            Grammar known = kept.get(format);
            if (known != null) {
                return known;
            }
        }
        Grammar made = compile(format);
        synchronized (kept) {
            kept.put(format, made);
        }
        return made;
    }

    private static Grammar compile(TextFormat format) {
        try {
            return switch (format) {
                case TextFormat.AnyJson _ -> Grammar.json();
                case TextFormat.Schema schema -> Grammar.jsonSchema(schema.schema());
                case TextFormat.Gbnf gbnf -> Grammar.gbnf(gbnf.grammar());
            };
        } catch (MalformedDataException e) {
            throw ApiError.invalid(format.field(), "'" + format.field() + "': " + e.getMessage());
        }
    }
}
