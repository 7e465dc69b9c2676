package dev.stowage.llm.engine;

import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.TokenConstraint;
import dev.stowage.llm.tokenizer.Tokenizer;
import dev.stowage.llm.tokenizer.Vocabulary;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Chooses the tokens of one text as its request says: bias and grammar change the logits before the sampler sees them. */
final class TokenChooser {

    /** What a device chooses where no logit is a number. */
    private static final int NO_NUMBER = 0;

    private final CompletionRequest request;
    private final Vocabulary vocabulary;
    private final Sampler sampler;
    private final @Nullable TokenConstraint constraint;

    /** The logits with changes; empty where there are none. */
    private final float[] changed;

    TokenChooser(CompletionRequest request, Tokenizer tokenizer) {
        this.request = request;
        this.vocabulary = tokenizer.vocabulary();
        this.sampler = new Sampler(request.sampling(), vocabulary.size());
        this.constraint = constraint(request, tokenizer);
        boolean changes = constraint != null || !request.bias().isEmpty() || request.ignoresEnd();
        this.changed = new float[changes ? vocabulary.size() : 0];
        for (int token : request.sharedPrompt()) {
            sampler.accept(token);
        }
    }

    private static @Nullable TokenConstraint constraint(CompletionRequest request, Tokenizer tokenizer) {
        if (request.grammar().isPresent()) {
            return request.grammar().get().constraint(tokenizer);
        }
        return request.constraint().isPresent() ? request.constraint().get().get() : null;
    }

    /** The next token by these logits, which stay as they are. */
    int choose(float[] logits) {
        if (changed.length == 0) {
            return sampler.next(logits);
        }
        System.arraycopy(logits, 0, changed, 0, changed.length);
        for (Map.Entry<Integer, Float> each : request.bias().entrySet()) {
            changed[each.getKey()] += each.getValue();
        }
        for (int token = 0; request.ignoresEnd() && token < changed.length; token++) {
            changed[token] = vocabulary.isEnd(token) ? Float.NEGATIVE_INFINITY : changed[token];
        }
        if (constraint != null) {
            constraint.mask(changed);
        }
        int token = sampler.next(changed);
        if (constraint != null && !vocabulary.isEnd(token)) {
            constraint.accept(token);
        }
        return token;
    }

    /** Whether the device's choice of the largest logit has to be looked at again: it found no number. */
    static boolean isDoubtful(int token) {
        return token == NO_NUMBER;
    }

    /** Whether nothing can follow. */
    boolean mustEnd() {
        return constraint != null && constraint.mustEnd();
    }
}
