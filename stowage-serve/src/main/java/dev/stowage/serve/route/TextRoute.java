package dev.stowage.serve.route;

import dev.stowage.llm.engine.CompletionRequest;
import dev.stowage.serve.http.Exchange;
import dev.stowage.serve.http.Router;
import dev.stowage.serve.wire.Answer;
import dev.stowage.serve.wire.TextRequest;
import java.io.IOException;
import java.time.Instant;

/** {@code /v1/completions}: continues a text. */
public final class TextRoute implements Router.Route {

    private final Served served;

    public TextRoute(Served served) {
        this.served = served;
    }

    @Override
    public void answer(Exchange exchange) throws IOException, InterruptedException {
        TextRequest text = TextRequest.read(exchange.json(), served.sampling());
        int[] prompt = Prompts.prompt(text.prompt(), served.model().tokenizer());
        Answer answer = Answer.text(
                served.name(),
                Instant.now().getEpochSecond(),
                text.probabilities().isPresent());
        CompletionRequest.Builder request = Completing.request(served, prompt, text.fields(), text.probabilities());
        new Completing(served, exchange, text.fields(), answer, CallReader.none())
                .answer(request, served.grammars().of(text.format()));
    }
}
