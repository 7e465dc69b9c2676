package dev.stowage.serve.route;

import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.grammar.Grammar;
import dev.stowage.serve.wire.ApiError;
import dev.stowage.serve.wire.TextFormat;
import java.lang.ref.SoftReference;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Compiles what texts must conform to, in the thread of the request so that no text waits for it, one at a time; and keeps the
 * last ones as long as there is memory: clients send the same schema again and again, and a grammar gets faster with every text.
 */
public final class Grammars {

    private static final int MOST_KEPT = 32;

    private final GrammarUses uses = new GrammarUses();
    private final ReentrantLock compiling = new ReentrantLock(true);
    private final Map<TextFormat, SoftReference<Grammar>> kept = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<TextFormat, SoftReference<Grammar>> eldest) {
            return size() > MOST_KEPT;
        }
    };

    /** The grammar of a request that asks for one. */
    Optional<Grammar> of(Optional<TextFormat> format) {
        return format.map(this::of);
    }

    /** Counts the grammar of a request, if it has one, until that is closed. */
    GrammarUses.Use use(Optional<Grammar> grammar) {
        return uses.of(grammar);
    }

    /** A grammar that is made for one request, such as one of its tools. */
    Grammar once(Supplier<Grammar> compile) {
        compiling.lock();
        try {
            return compile.get();
        } finally {
            compiling.unlock();
        }
    }

    private Grammar of(TextFormat format) {
        return known(format).orElseGet(() -> once(() -> known(format).orElseGet(() -> make(format))));
    }

    private Optional<Grammar> known(TextFormat format) {
        synchronized (kept) {
            return Optional.ofNullable(kept.get(format)).map(SoftReference::get);
        }
    }

    private Grammar make(TextFormat format) {
        Grammar made = compile(format);
        synchronized (kept) {
            kept.put(format, new SoftReference<>(made));
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
