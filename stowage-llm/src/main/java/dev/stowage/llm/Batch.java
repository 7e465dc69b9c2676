package dev.stowage.llm;

import dev.stowage.error.AccessException;
import dev.stowage.llm.sampling.Sampler;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.models.TokenChoice;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Tokens to run through a model, each of a sequence and with or without logits after it. A batch can be filled and run
 * again and again.
 *
 * <p>A {@linkplain #greedy(boolean) greedy} batch asks for the most likely next token in place of logits, a {@linkplain
 * #draw drawn} one for a token by chance: the device chooses it, and only its number comes back.
 */
public final class Batch {

    private static final double RANDOM_STEPS = 1 << 23;

    private int[] tokens = new int[16];
    private int[] sequences = new int[16];
    private boolean[] wanted = new boolean[16];
    private int size;
    private int outputs;
    private TokenChoice choice = TokenChoice.NONE;
    private @Nullable Sampler sampler;

    /** A batch without tokens. */
    public Batch() {}

    /** Takes all tokens out, and stays greedy or drawn if it is; returns this batch. */
    public Batch clear() {
        size = 0;
        outputs = 0;
        return this;
    }

    /** Appends a token to a sequence; returns this batch. */
    public Batch add(int token, int sequence, boolean wantsLogits) {
        if (size == tokens.length) {
            tokens = Arrays.copyOf(tokens, 2 * size);
            sequences = Arrays.copyOf(sequences, 2 * size);
            wanted = Arrays.copyOf(wanted, 2 * size);
        }
        tokens[size] = token;
        sequences[size] = sequence;
        wanted[size] = wantsLogits;
        size++;
        outputs += wantsLogits ? 1 : 0;
        return this;
    }

    /** Appends tokens to a sequence, with logits after the last of them; returns this batch. */
    public Batch addAll(int[] more, int sequence) {
        for (int i = 0; i < more.length; i++) {
            add(more[i], sequence, i == more.length - 1);
        }
        return this;
    }

    /**
     * Has runs give the token with the largest logit, {@link Session#token(int)}, or all logits; returns this batch. At
     * first it is not greedy.
     */
    public Batch greedy(boolean changed) {
        choice = changed ? TokenChoice.LARGEST : TokenChoice.NONE;
        sampler = null;
        return this;
    }

    /**
     * Has runs draw tokens, {@link Session#token(int)}, with the options of a sampler and its next random numbers, one for
     * each output; returns this batch. They are the tokens that the sampler draws by the same logits, as far as f32 and f64
     * round alike, where the vocabulary has more tokens than top-k lets through; otherwise equally likely ones.
     *
     * @throws AccessException if devices do not draw with such options, which {@link SamplingOptions#drawn()} says
     */
    public Batch draw(Sampler with) {
        choice = with.options()
                .drawn()
                .orElseThrow(() -> new AccessException(
                        "devices do not draw tokens with " + with.options() + ": have the sampler choose by logits"));
        sampler = with;
        return this;
    }

    /**
     * Has runs give the state of the model after each output, {@link Session#state(int)}, and no logits; returns this
     * batch. Embeddings of texts are made of states.
     */
    public Batch states() {
        choice = TokenChoice.STATES;
        sampler = null;
        return this;
    }

    /** Whether runs give the tokens with the largest logits in place of logits. */
    public boolean isGreedy() {
        return choice instanceof TokenChoice.Largest;
    }

    /** Whether runs draw tokens in place of giving logits. */
    public boolean isDrawn() {
        return choice instanceof TokenChoice.Drawn;
    }

    TokenChoice choice() {
        return choice;
    }

    /** The next random number to draw with: below 1 also as f32. */
    float nextRandom() {
        return sampler == null ? 0 : (float) (Math.floor(sampler.draw() * RANDOM_STEPS) / RANDOM_STEPS);
    }

    /** How many tokens there are. */
    public int size() {
        return size;
    }

    /** After how many of them logits are wanted. */
    public int outputs() {
        return outputs;
    }

    int token(int i) {
        return tokens[i];
    }

    int sequence(int i) {
        return sequences[i];
    }

    boolean wantsLogits(int i) {
        return wanted[i];
    }
}
