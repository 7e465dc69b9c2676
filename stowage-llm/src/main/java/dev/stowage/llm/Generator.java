package dev.stowage.llm;

import dev.stowage.error.AccessException;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.tokenizer.TokenStream;
import dev.stowage.llm.tokenizer.Tokenizer;
import org.jspecify.annotations.Nullable;

/** Generates text: runs a prompt through a model, and then each sampled token. */
final class Generator {

    /** What a device chooses where no logit is a number. */
    private static final int NO_NUMBER = 0;

    private final Session session;
    private final Tokenizer tokenizer;
    private final int sequence;
    private final GenerationOptions options;
    private final TokenListener listener;
    private final Sampler sampler;
    private final TokenStream stream;
    private final StringBuilder text = new StringBuilder();
    private final Batch batch = new Batch();

    Generator(Session session, Tokenizer tokenizer, int sequence, GenerationOptions options, TokenListener listener) {
        this.session = session;
        this.tokenizer = tokenizer;
        this.sequence = sequence;
        this.options = options;
        this.listener = listener;
        this.sampler = new Sampler(options.sampling(), tokenizer.vocabulary().size());
        this.stream = tokenizer.stream();
        if (session.draws(sampler)) {
            batch.draw(sampler);
        } else {
            batch.greedy(options.sampling().isGreedy());
        }
    }

    /**
     * Generates after these tokens. No other thread may use the session meanwhile, between two tokens neither.
     *
     * @param before tokens of the sequence that the session has already, for the repetition penalty
     */
    Generation generate(int[] before, int[] prompt) {
        session.guard().enter();
        try {
            return generateAll(before, prompt);
        } finally {
            session.guard().leave();
        }
    }

    private Generation generateAll(int[] before, int[] prompt) {
        if (prompt.length == 0) {
            throw new AccessException(
                    "there is nothing to begin with: the prompt has no tokens, and this model adds none"
                            + " of its own; give it at least one word");
        }
        for (int token : before) {
            sampler.accept(token);
        }
        for (int token : prompt) {
            sampler.accept(token);
        }
        long start = System.nanoTime();
        session.run(batch.clear().addAll(prompt, sequence));
        long promptEnd = System.nanoTime();
        int count = 0;
        Generation.@Nullable End end = null;
        while (end == null) {
            if (count >= options.maxTokens()) {
                end = Generation.End.ENOUGH_TOKENS;
            } else if (options.stop().getAsBoolean()) {
                end = Generation.End.STOPPED;
            } else {
                end = next(count++);
            }
        }
        long tokenEnd = System.nanoTime();
        text.append(stream.finish());
        return new Generation(text.toString(), prompt.length, promptEnd - start, count, tokenEnd - promptEnd, end);
    }

    /**
     * Chooses a token, notifies the listener and runs it through the model unless it was the last; returns why it was.
     */
    private Generation.@Nullable End next(int count) {
        int token = choose();
        if (tokenizer.vocabulary().isEnd(token)) {
            return Generation.End.END_OF_TEXT;
        }
        String piece = stream.next(token);
        text.append(piece);
        listener.token(token, piece);
        if (count + 1 >= options.maxTokens()) {
            return Generation.End.ENOUGH_TOKENS;
        }
        if (session.room() == 0) {
            return Generation.End.CONTEXT_FULL;
        }
        session.run(batch.clear().add(token, sequence, true));
        return null;
    }

    /** The next token: as the device chose it, where it did. */
    private int choose() {
        if (!batch.isGreedy() && !batch.isDrawn()) {
            return sampler.next(session.logits(0));
        }
        int token = session.token(0);
        // What is also the answer where no logit is a number is left to the sampler, which refuses that.
        return token == NO_NUMBER ? sampler.again(session.logits(0)) : token;
    }
}
