package dev.stowage.llm.grammar;

import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.TokenConstraint;
import dev.stowage.llm.tokenizer.TokenStream;
import dev.stowage.llm.tokenizer.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** A model whose logits are random, and which wants to come to an end after a while. */
final class RandomModel {

    private static final int PATIENCE = 40;
    private static final int MOST_TOKENS = 5_000;

    private final Tokenizer tokenizer;
    private final boolean[] closes;
    private final float[] logits;

    RandomModel(Tokenizer tokenizer) {
        this.tokenizer = tokenizer;
        this.logits = new float[tokenizer.vocabulary().size()];
        this.closes = new boolean[logits.length];
        for (int token = 0; token < closes.length; token++) {
            String text = new String(tokenizer.bytes(token), StandardCharsets.UTF_8);
            closes[token] = tokenizer.vocabulary().isEnd(token) || text.matches("[\"\\]}]+");
        }
    }

    /** A text that conforms to a grammar. */
    String text(Grammar grammar, Sampler sampler, Random random) {
        TokenConstraint constraint = grammar.constraint(tokenizer);
        TokenStream stream = tokenizer.stream();
        StringBuilder text = new StringBuilder();
        for (int step = 0; !constraint.mustEnd(); step++) {
            for (int token = 0; token < logits.length; token++) {
                logits[token] =
                        4 * random.nextFloat() + (closes[token] ? Math.clamp((step - PATIENCE) * 0.1f, 0, 3) : 0);
            }
            constraint.mask(logits);
            int token = sampler.next(logits);
            if (tokenizer.vocabulary().isEnd(token)) {
                break;
            }
            constraint.accept(token);
            text.append(stream.next(token));
            if (step > MOST_TOKENS) {
                throw new MalformedDataException("no end after " + MOST_TOKENS + " tokens: " + text);
            }
        }
        return text.append(stream.finish()).toString();
    }
}
