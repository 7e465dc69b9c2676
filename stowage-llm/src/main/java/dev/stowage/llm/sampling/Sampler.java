package dev.stowage.llm.sampling;

import dev.stowage.error.AccessException;
import dev.stowage.error.InvalidTensorException;

/**
 * Chooses one token after the other. It remembers what was chosen, for the penalties, and where its random
 * numbers are; so every text needs a sampler of its own. Choosing makes no garbage: all arrays are made once.
 */
public final class Sampler {

    private final SamplingOptions options;
    private final int vocabulary;
    private final Xoshiro256 random;
    private final RecentTokens recent;
    private final CandidateHeap candidates;

    /** The random number that was drawn last. */
    private double drawn;

    /** The logits, with penalties. */
    private final float[] logits;

    /** The tokens that may be chosen, the best first, and how likely they are. */
    private final int[] kept;

    private final double[] weights;

    /** A sampler for a model with so many tokens. */
    public Sampler(SamplingOptions options, int vocabulary) {
        if (vocabulary < 1) {
            throw new AccessException("there is nothing to choose from in a vocabulary of " + vocabulary);
        }
        this.options = options;
        this.vocabulary = vocabulary;
        this.random = new Xoshiro256(options.seed());
        this.recent = new RecentTokens(options.penalises() ? options.repetitionWindow() : 0, vocabulary);
        boolean greedy = options.temperature() == 0;
        this.logits = new float[vocabulary];
        this.candidates = new CandidateHeap(greedy ? 0 : vocabulary);
        this.kept = new int[greedy ? 0 : vocabulary];
        this.weights = new double[greedy ? 0 : vocabulary];
    }

    /**
     * Takes note of a token that is part of the text without having been chosen here, such as those of the prompt.
     *
     * @throws AccessException if there is no such token
     */
    public void accept(int token) {
        if (token < 0 || token >= vocabulary) {
            throw new AccessException("there is no token " + token + " in a vocabulary of " + vocabulary);
        }
        recent.add(token);
    }

    /**
     * Chooses the next token.
     *
     * @param all a logit per token, which stay as they are
     * @throws AccessException if there are not as many as tokens
     * @throws InvalidTensorException if no token has a logit that is a number
     */
    public int next(float[] all) {
        if (options.temperature() != 0) {
            draw();
        }
        return again(all);
    }

    /** How it chooses. */
    public SamplingOptions options() {
        return options;
    }

    /**
     * Takes the random number of the next choice, for a device that makes this choice.
     *
     * @return from 0, and below 1
     */
    public double draw() {
        drawn = random.nextUnit();
        return drawn;
    }

    /**
     * Chooses a token with the random number that was {@linkplain #draw() drawn} last.
     *
     * @param all a logit per token, which stay as they are
     * @throws AccessException if there are not as many as tokens
     * @throws InvalidTensorException if no token has a logit that is a number
     */
    public int again(float[] all) {
        if (all.length != vocabulary) {
            throw new AccessException(all.length + " logits were given for a vocabulary of " + vocabulary);
        }
        System.arraycopy(all, 0, logits, 0, vocabulary);
        recent.penalise(logits, options);
        int token = options.temperature() == 0 ? best() : likely();
        recent.add(token);
        return token;
    }

    private int best() {
        int best = -1;
        for (int token = 0; token < vocabulary; token++) {
            // Written so that a NaN is never the best. Of equals the last one is, as for ggml's ARGMAX.
            if (best < 0 ? logits[token] > Float.NEGATIVE_INFINITY : logits[token] >= logits[best]) {
                best = token;
            }
        }
        if (best < 0) {
            throw noNumber();
        }
        return best;
    }

    private InvalidTensorException noNumber() {
        return new InvalidTensorException("none of " + vocabulary + " logits is a number above negative infinity: what "
                + "computed them went wrong, or the model's weights are damaged");
    }

    private int likely() {
        candidates.begin(logits);
        if (candidates.size() == 0) {
            throw noNumber();
        }
        int count = keepLikely();
        double sum = 0;
        float most = logits[kept[0]];
        for (int i = 0; i < count; i++) {
            sum += Math.exp(difference(kept[i], most) / options.temperature());
            weights[i] = sum;
        }
        double target = drawn * sum;
        int chosen = 0;
        while (chosen < count - 1 && weights[chosen] <= target) {
            chosen++;
        }
        return kept[chosen];
    }

    /** Puts the tokens that the options allow into {@code kept}, the best first, and says how many that are. */
    private int keepLikely() {
        int all = candidates.size();
        int most = options.topK() == 0 ? all : Math.min(options.topK(), all);
        float top = logits[candidates.best()];
        if (most < all) {
            // Top-p asks for a share of what top-k left, so that all of it must be there first.
            double whole = 0;
            for (int i = 0; i < most; i++) {
                kept[i] = candidates.take();
                whole += weight(kept[i], top);
            }
            return cut(most, whole, top, false);
        }
        if (options.topP() == 1 && options.minP() == 0) {
            return candidates.copyTo(kept);
        }
        double whole = 0;
        for (int token = 0; token < vocabulary && options.topP() < 1; token++) {
            whole += Float.isNaN(logits[token]) ? 0 : weight(token, top);
        }
        return cut(all, whole, top, true);
    }

    /** Counts tokens from the best on until top-p has its share or the next is too unlikely for min-p. */
    private int cut(int most, double whole, float top, boolean take) {
        double sum = 0;
        for (int i = 0; i < most; i++) {
            int token = take ? candidates.take() : kept[i];
            double weight = weight(token, top);
            if (i > 0 && weight < options.minP()) {
                return i;
            }
            kept[i] = token;
            sum += weight;
            if (options.topP() < 1 && sum >= options.topP() * whole) {
                return i + 1;
            }
        }
        return most;
    }

    /** How likely a token is, beside the most likely one. */
    private double weight(int token, float top) {
        return Math.exp(difference(token, top));
    }

    /** How far a logit is below the highest; both may be infinite. */
    private double difference(int token, float top) {
        return logits[token] == top ? 0 : (double) logits[token] - top;
    }
}
