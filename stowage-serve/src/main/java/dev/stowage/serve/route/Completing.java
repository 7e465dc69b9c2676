package dev.stowage.serve.route;

import dev.stowage.llm.chat.ToolCall;
import dev.stowage.llm.chat.ToolCallParser;
import dev.stowage.llm.engine.Completion;
import dev.stowage.llm.engine.CompletionPart;
import dev.stowage.llm.engine.CompletionRequest;
import dev.stowage.llm.engine.CompletionResult;
import dev.stowage.llm.engine.FinishReason;
import dev.stowage.llm.engine.TokenProbability;
import dev.stowage.llm.grammar.Grammar;
import dev.stowage.llm.tokenizer.Tokenizer;
import dev.stowage.serve.http.EventStream;
import dev.stowage.serve.http.Exchange;
import dev.stowage.serve.http.PeerWatch;
import dev.stowage.serve.wire.Answer;
import dev.stowage.serve.wire.ApiError;
import dev.stowage.serve.wire.GenerationFields;
import dev.stowage.serve.wire.Timings;
import dev.stowage.serve.wire.TokenLikelihood;
import dev.stowage.serve.wire.Usage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Has the engine generate the text of one request, and answers with it, whole or in events. */
final class Completing {

    private final Served served;
    private final Exchange exchange;
    private final GenerationFields fields;
    private final Answer answer;
    private final CallReader calls;

    Completing(Served served, Exchange exchange, GenerationFields fields, Answer answer, CallReader calls) {
        this.served = served;
        this.exchange = exchange;
        this.fields = fields;
        this.answer = answer;
        this.calls = calls;
    }

    /** A request to continue tokens as the fields say. */
    static CompletionRequest.Builder request(
            Served served, int[] prompt, GenerationFields fields, Optional<Integer> probabilities) {
        CompletionRequest.Builder request = CompletionRequest.builder(prompt)
                .sampling(fields.sampling())
                .stop(fields.stop())
                .bias(fields.bias())
                .timeLimit(served.timeLimit())
                .sharesCache(fields.cachePrompt())
                .ignoresEnd(fields.ignoreEnd());
        fields.maxTokens().ifPresent(request::maxTokens);
        probabilities.ifPresent(request::probabilities);
        return request;
    }

    /** With a text that conforms to a grammar, if there is one. */
    void answer(CompletionRequest.Builder request, Optional<Grammar> grammar) throws IOException, InterruptedException {
        grammar.ifPresent(request::grammar);
        try (GrammarUses.Use _ = served.grammars().use(grammar)) {
            answer(request.build());
        }
    }

    private void answer(CompletionRequest request) throws IOException, InterruptedException {
        Completion completion = served.engine().submit(request);
        exchange.understood();
        // Whatever ends this, nobody reads the text any more.
        try (PeerWatch watch = exchange.onGone(completion::cancel)) {
            if (fields.stream()) {
                stream(completion, watch);
            } else {
                whole(completion, watch);
            }
        } finally {
            completion.cancel();
        }
    }

    private void whole(Completion completion, PeerWatch watch) throws IOException, InterruptedException {
        CompletionResult result = result(completion, watch);
        String text = calls.next(result.text()).text() + calls.finish().text();
        watch.end();
        exchange.respond(answer.whole(
                new Answer.Content(text, calls.calls(), likelihoods(result.probabilities())),
                finish(result.reason()),
                usage(result),
                timings(result)));
    }

    /** Nothing is sent before the first text is there, so that what fails until then has a status of its own. */
    private void stream(Completion completion, PeerWatch watch) throws IOException, InterruptedException {
        Optional<CompletionPart> part = next(completion);
        if (part.isEmpty()) {
            result(completion, watch);
        }
        EventStream events = exchange.events();
        for (var opening : answer.opening()) {
            events.send(opening);
        }
        try {
            while (part.isPresent()) {
                send(
                        events,
                        calls.next(part.get().text()),
                        likelihoods(part.get().probabilities()));
                part = next(completion);
            }
            send(events, calls.finish(), List.of());
            CompletionResult result = result(completion, watch);
            watch.end();
            events.send(answer.ending(finish(result.reason()), timings(result)));
            if (fields.includeUsage()) {
                events.send(answer.closing(usage(result)));
            }
            events.done();
        } catch (ApiError e) {
            watch.end();
            events.fail(e);
        }
    }

    /** What is held back, as it may be a call, is sent with a later part. */
    private void send(EventStream events, ToolCallParser.Part part, List<TokenLikelihood> likely) throws IOException {
        if (!part.text().isEmpty() || !likely.isEmpty()) {
            events.send(answer.piece(part.text(), likely));
        }
        int index = calls.calls().size() - part.calls().size();
        for (ToolCall call : part.calls()) {
            events.send(answer.call(call, index++));
        }
    }

    private static Optional<CompletionPart> next(Completion completion) throws InterruptedException {
        try {
            return completion.next();
        } catch (RuntimeException e) {
            throw ApiError.ofRun(e);
        }
    }

    private static CompletionResult result(Completion completion, PeerWatch watch) throws InterruptedException {
        CompletionResult result;
        try {
            result = completion.await();
        } catch (RuntimeException e) {
            throw ApiError.ofRun(e);
        }
        if (result.reason() == FinishReason.CANCELLED) {
            if (watch.isGone()) {
                throw ApiError.gone();
            }
            throw ApiError.unavailable("the server is stopping, and this request was not done in time");
        }
        return result;
    }

    private String finish(FinishReason reason) {
        return switch (reason) {
            case END_OF_TEXT, STOP_STRING -> calls.calls().isEmpty() ? "stop" : "tool_calls";
            case MAX_TOKENS, CONTEXT_FULL, TIME_LIMIT, CANCELLED -> "length";
        };
    }

    private static Usage usage(CompletionResult result) {
        return new Usage(
                result.promptTokens(), result.cachedTokens(), result.tokens().size());
    }

    private static Timings timings(CompletionResult result) {
        return new Timings(
                result.cachedTokens(),
                result.promptTokens() - result.cachedTokens(),
                result.reading(),
                result.tokens().size(),
                result.generating());
    }

    private List<TokenLikelihood> likelihoods(List<TokenProbability> probabilities) {
        return probabilities.stream()
                .map(each -> likelihood(
                        each.token(),
                        each.logProbability(),
                        each.most().stream()
                                .map(other -> likelihood(other.token(), other.logProbability(), List.of()))
                                .toList()))
                .toList();
    }

    private TokenLikelihood likelihood(int token, float logProbability, List<TokenLikelihood> most) {
        Tokenizer tokenizer = served.model().tokenizer();
        List<Integer> bytes = new ArrayList<>();
        for (byte each : tokenizer.bytes(token)) {
            bytes.add(each & 0xFF);
        }
        return new TokenLikelihood(tokenizer.decodeContinuation(token), bytes, logProbability, most);
    }
}
