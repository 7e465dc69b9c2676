package dev.stowage.serve.route;

import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.chat.ToolCallParser;
import dev.stowage.llm.chat.ToolFormat;
import dev.stowage.llm.engine.CompletionRequest;
import dev.stowage.llm.grammar.Grammar;
import dev.stowage.llm.tokenizer.EncodeOptions;
import dev.stowage.llm.tokenizer.Tokenizer;
import dev.stowage.serve.http.Exchange;
import dev.stowage.serve.http.Router;
import dev.stowage.serve.wire.Answer;
import dev.stowage.serve.wire.ApiError;
import dev.stowage.serve.wire.ChatRequest;
import dev.stowage.serve.wire.Json;
import dev.stowage.serve.wire.Messages;
import dev.stowage.serve.wire.ToolFields;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;

/** {@code /v1/chat/completions}, and {@code /apply-template}, which shows what the model would read. */
public final class ChatRoute implements Router.Route {

    /** What begins a call is the template's, and has control tokens. */
    private static final EncodeOptions OPENING = new EncodeOptions(false, true);

    private final Served served;

    public ChatRoute(Served served) {
        this.served = served;
    }

    @Override
    public void answer(Exchange exchange) throws IOException, InterruptedException {
        ChatRequest chat = ChatRequest.read(exchange.json(), served.sampling());
        ToolFields tools = chat.tools();
        Optional<ToolFormat> calls = tools.shown().isEmpty() ? Optional.empty() : Optional.of(format());
        CompletionRequest.Builder request =
                Completing.request(served, prompt(chat, calls), chat.fields(), chat.probabilities());
        Optional<Grammar> grammar = tools.required().isEmpty()
                ? served.grammars().of(chat.format())
                : Optional.of(served.grammars().once(() -> grammar(calls.orElseThrow(), tools)));
        Answer answer = Answer.chat(
                served.name(),
                Instant.now().getEpochSecond(),
                chat.probabilities().isPresent());
        CallReader reader = new CallReader(
                calls.map(each -> new ToolCallParser(each, !tools.required().isEmpty())));
        new Completing(served, exchange, chat.fields(), answer, reader).answer(request, grammar);
    }

    /** Where a tool has to be called, the prompt ends with the beginning of a call. */
    private int[] prompt(ChatRequest chat, Optional<ToolFormat> calls) {
        Tokenizer tokenizer = served.model().tokenizer();
        int[] prompt = served.template()
                .render(chat.messages(), chat.tools().shown(), true)
                .encode(tokenizer);
        if (calls.isEmpty() || chat.tools().required().isEmpty()) {
            return prompt;
        }
        int[] opening = tokenizer.encode(calls.get().opening(), OPENING);
        int[] all = Arrays.copyOf(prompt, prompt.length + opening.length);
        System.arraycopy(opening, 0, all, prompt.length, opening.length);
        return all;
    }

    private ToolFormat format() {
        return served.template()
                .toolFormat()
                .orElseThrow(() -> ApiError.invalid(
                        "tools",
                        "'tools' need a model whose chat template shows tools to it and calls them in a known form; the"
                                + " template of this one is '"
                                + served.template().label() + "'"));
    }

    private static Grammar grammar(ToolFormat format, ToolFields tools) {
        try {
            return Grammar.toolCalls(format, tools.required(), tools.several());
        } catch (MalformedDataException e) {
            throw ApiError.invalid("tools", "'tools': " + e.getMessage());
        }
    }

    /** The messages of a chat as text. */
    public void applyTemplate(Exchange exchange) throws IOException {
        String text =
                served.template().render(Messages.read(exchange.json()), true).text();
        exchange.respond(Json.object("prompt", text));
    }
}
