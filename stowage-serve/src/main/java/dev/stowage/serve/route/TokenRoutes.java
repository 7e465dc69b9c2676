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
import java.util.ArrayList;
import java.util.List;

/** {@code /tokenize} and {@code /detokenize}. */
public final class TokenRoutes {

    private final Tokenizer tokenizer;

    public TokenRoutes(Served served) {
        this.tokenizer = served.model().tokenizer();
    }

    /** The tokens of a text. */
    public void tokenize(Exchange exchange) throws IOException {
        JsonObject body = exchange.json();
        String text =
                body.text("content").orElseThrow(() -> ApiError.invalid("content", "'content' is missing: a string"));
        EncodeOptions options = new EncodeOptions(
                body.flag("add_special").orElse(false),
                body.flag("parse_special").orElse(true));
        boolean pieces = body.flag("with_pieces").orElse(false);
        List<Object> tokens = new ArrayList<>();
        for (int token : tokenizer.encode(text, options)) {
            tokens.add(
                    pieces ? Json.object("id", token, "piece", tokenizer.decodeContinuation(token)) : (Object) token);
        }
        exchange.respond(Json.object("tokens", tokens));
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
}
