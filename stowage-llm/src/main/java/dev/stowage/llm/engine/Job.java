package dev.stowage.llm.engine;

import dev.stowage.llm.tokenizer.TokenStream;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request from its submission to its end: the text so far and how long everything took. For the thread of the engine. */
final class Job {

    private final CompletionRequest request;
    private final Completion completion;
    private final int limit;
    private final long submitted;
    private final TokenStream stream;
    private final StopStrings stops;
    private final Tokenizer tokenizer;
    private final @Nullable Pooler pooler;
    private final StringBuilder text = new StringBuilder();
    private final List<Integer> tokens = new ArrayList<>();
    private final List<TokenProbability> probabilities = new ArrayList<>();
    private @Nullable TokenChooser chooser;
    private int reported;
    private int cachedTokens;
    private long started;
    private long firstToken;

    /**
     * @param limit how many tokens prompt and text may have together
     * @param submitted when it was submitted, in nanoseconds
     * @param pooler makes the vector of the prompt, if that is wanted and no text
     */
    Job(
            CompletionRequest request,
            Completion completion,
            int limit,
            long submitted,
            Tokenizer tokenizer,
            @Nullable Pooler pooler) {
        this.pooler = pooler;
        this.request = request;
        this.completion = completion;
        this.limit = limit;
        this.submitted = submitted;
        this.started = submitted;
        this.firstToken = submitted;
        this.tokenizer = tokenizer;
        this.stream = tokenizer.stream();
        this.stops = new StopStrings(request.stop());
    }

    CompletionRequest request() {
        return request;
    }

    Completion completion() {
        return completion;
    }

    /** What chooses its tokens: made once it begins, as it is large. */
    TokenChooser chooser() {
        if (chooser == null) {
            chooser = new TokenChooser(request, tokenizer);
        }
        return chooser;
    }

    /** What makes the vector of the prompt, if that is wanted. */
    Optional<Pooler> pooler() {
        return Optional.ofNullable(pooler);
    }

    int limit() {
        return limit;
    }

    int generated() {
        return tokens.size();
    }

    int cachedTokens() {
        return cachedTokens;
    }

    /** Why it is to end whatever its text: somebody wants it to. */
    Optional<FinishReason> endedFromOutside(long now) {
        if (completion.isCancelled()) {
            return Optional.of(FinishReason.CANCELLED);
        }
        boolean late = request.timeLimit().isPresent()
                && now - submitted >= request.timeLimit().get().toNanos();
        return late ? Optional.of(FinishReason.TIME_LIMIT) : Optional.empty();
    }

    void start(long now) {
        started = now;
        firstToken = now;
    }

    /** The prompt begins with so many tokens that need not be read. */
    void cached(int count) {
        cachedTokens = count;
    }

    /** Appends a token and gives out the text that is certain now. */
    void add(int token, Optional<TokenProbability> probability, long now) {
        if (tokens.isEmpty()) {
            firstToken = now;
        }
        tokens.add(token);
        probability.ifPresent(probabilities::add);
        give(stops.next(stream.next(token)));
    }

    private void give(String piece) {
        text.append(piece);
        List<TokenProbability> fresh = List.copyOf(probabilities.subList(reported, probabilities.size()));
        reported = probabilities.size();
        if (!piece.isEmpty() || !fresh.isEmpty()) {
            completion.add(new CompletionPart(piece, fresh));
        }
    }

    /** Why it ends with the tokens it has; {@code mustEnd} says that its grammar allows nothing more. */
    Optional<FinishReason> reachedEnd(boolean mustEnd) {
        if (stops.found().isPresent()) {
            return Optional.of(FinishReason.STOP_STRING);
        }
        if (mustEnd) {
            return Optional.of(FinishReason.END_OF_TEXT);
        }
        if (tokens.size() >= request.maxTokens()) {
            return Optional.of(FinishReason.MAX_TOKENS);
        }
        // The last token takes no cell, as nothing is computed after it.
        return request.promptTokens() + tokens.size() > limit
                ? Optional.of(FinishReason.CONTEXT_FULL)
                : Optional.empty();
    }

    /** Ends the text; what is returned has those who wait for it hear of that. */
    Runnable end(FinishReason reason, long now) {
        if (stops.found().isEmpty()) {
            String rest = stops.next(stream.finish());
            give(rest);
        }
        if (stops.found().isEmpty()) {
            give(stops.finish());
        }
        boolean began = !tokens.isEmpty();
        CompletionResult result = new CompletionResult(
                text.toString(),
                tokens,
                reason,
                stops.found(),
                request.promptTokens(),
                cachedTokens,
                probabilities,
                Duration.ofNanos(started - submitted),
                Duration.ofNanos((began ? firstToken : now) - started),
                Duration.ofNanos(began ? now - firstToken : 0));
        return () -> completion.end(result);
    }
}
