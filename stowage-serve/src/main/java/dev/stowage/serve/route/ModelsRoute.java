package dev.stowage.serve.route;

import dev.stowage.llm.LanguageModel;
import dev.stowage.serve.http.Exchange;
import dev.stowage.serve.http.Router;
import dev.stowage.serve.wire.Json;
import java.io.IOException;
import java.util.List;

/** {@code /v1/models}: the one model there is. */
public final class ModelsRoute implements Router.Route {

    private final Served served;

    public ModelsRoute(Served served) {
        this.served = served;
    }

    @Override
    public void answer(Exchange exchange) throws IOException {
        LanguageModel model = served.model();
        long bytes = 0;
        for (int device = 0; device < model.devices().size(); device++) {
            bytes += model.weightBytes(device);
        }
        exchange.respond(Json.object(
                "object",
                "list",
                "data",
                List.of(Json.object(
                        "id",
                        served.name(),
                        "object",
                        "model",
                        "created",
                        served.started().getEpochSecond(),
                        "owned_by",
                        "stowage",
                        "meta",
                        Json.object(
                                "n_vocab",
                                model.tokenizer().vocabulary().size(),
                                "n_ctx",
                                model.context(),
                                "n_ctx_train",
                                model.blueprint().shape().rope().trainedContext(),
                                "n_embd",
                                model.blueprint().shape().width(),
                                "size",
                                bytes)))));
    }
}
