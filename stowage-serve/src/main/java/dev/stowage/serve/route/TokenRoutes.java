package dev.stowage.serve.route;

import dev.stowage.error.AccessException;
import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.llm.tokenizer.Tokenizer;
import dev.stowage.serve.http.Exchange;
import dev.stowage.serve.wire.ApiError;
import dev.stowage.serve.wire.Json;
import dev.stowage.serve.wire.JsonObject;
import dev.stowage.serve.wire.TextInput;
import java.io.IOException;
import java.util.AbstractList;

/** {@code /tokenize} and {@code /detokenize}. */
public final class TokenRoutes {

    private static final int LONGEST = 1 << 20;

    private final Tokenizer tokenizer;

    public TokenRoutes(Served served) {
        this.tokenizer = served.model().tokenizer();
    }

    /** The tokens of a text. */
    public void tokenize(Exchange exchange) throws IOException {
        JsonObject body = exchange.json();
        String text =
                body.text("content").orElseThrow(() -> ApiError.invalid("content", "'content' is missing: a string"));
        if (text.length() > LONGEST) {
            throw ApiError.invalid(
                    "content",
                    "'content' must have at most " + LONGEST + " characters, not " + text.length()
                            + ": the answer is many times as long");
        }
        EncodeOptions options = new EncodeOptions(
                body.flag("add_special").orElse(false),
                body.flag("parse_special").orElse(true));
        boolean pieces = body.flag("with_pieces").orElse(false);
        int[] tokens = tokenizer.encode(text, options);
        exchange.respond(Json.object("tokens", new Shown(tokens, pieces)));
    }

    /** The text of tokens. */
    public void detokenize(Exchange exchange) throws IOException {
        int[] tokens = TextInput.tokens(exchange.json(), "tokens");
        try {
            exchange.respond(Json.object("content", tokenizer.decode(tokens)));
        } catch (AccessException e) {
            throw ApiError.invalid("tokens", String.valueOf(e.getMessage()));
        }
    }

    /** Tokens as values of JSON, each made when it is written. */
    private final class Shown extends AbstractList<Object> {

        private final int[] tokens;
        private final boolean pieces;

        Shown(int[] tokens, boolean pieces) {
            this.tokens = tokens;
            this.pieces = pieces;
        }

        @Override
        public Object get(int index) {
            int token = tokens[index];
            return pieces ? Json.object("id", token, "piece", tokenizer.decodeContinuation(token)) : (Object) token;
        }

        @Override
        public int size() {
            return tokens.length;
        }
    }
}
