package dev.stowage.serve.route;

import dev.stowage.serve.http.Exchange;
import dev.stowage.serve.http.Router;
import dev.stowage.serve.wire.ApiError;

/** What requests for text get where the model is an embedding model. */
public final class TextRefusal implements Router.Route {

    private final String model;

    public TextRefusal(String model) {
        this.model = model;
    }

    @Override
    public void answer(Exchange exchange) {
        throw ApiError.invalid(
                "model",
                "'" + model + "' is an embedding model: it makes vectors of texts and writes none; ask for them with"
                        + " POST /v1/embeddings");
    }
}
