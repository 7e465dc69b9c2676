package dev.stowage.llm;

import java.util.Arrays;

/**
 * Tokens to run through a model, each of a sequence and with or without logits after it. A batch can be filled and run
 * again and again.
 *
 * <p>A {@linkplain #greedy(boolean) greedy} batch asks for the most likely next token in place of logits: the device
 * chooses it, and only its number comes back.
 */
public final class Batch {

    private int[] tokens = new int[16];
    private int[] sequences = new int[16];
    private boolean[] wanted = new boolean[16];
    private int size;
    private int outputs;
    private boolean greedy;

    /** A batch without tokens. */
    public Batch() {}

    /** Takes all tokens out, and stays greedy if it is; returns this batch. */
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
        greedy = changed;
        return this;
    }

    /** Whether runs give tokens in place of logits. */
    public boolean isGreedy() {
        return greedy;
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
