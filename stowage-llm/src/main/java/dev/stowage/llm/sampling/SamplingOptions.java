package dev.stowage.llm.sampling;

import dev.stowage.error.MalformedDataException;
import dev.stowage.models.TokenChoice;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * How the next token is chosen. The steps come in this order: the penalties, top-k, top-p, min-p, the temperature, the
 * draw.
 *
 * @param temperature how much chance there is; 0 takes the most likely token always
 * @param topK only so many of the most likely tokens may be chosen; 0 for all
 * @param topP only the most likely tokens that have this share of the probability together; 1 for all
 * @param minP only tokens that are at least this share as likely as the most likely one; 0 for all
 * @param repetitionPenalty what logits of tokens that came up lately are divided by, or multiplied where negative; 1
 *     for none
 * @param repetitionWindow how many of the last tokens count as lately
 * @param frequencyPenalty what is taken from the logit of a token for each time it came up lately; 0 for nothing
 * @param presencePenalty what is taken from the logit of a token that came up lately, however often; 0 for nothing
 * @param seed where the draws begin: with the same seed and logits come the same tokens
 */
public record SamplingOptions(
        float temperature,
        int topK,
        float topP,
        float minP,
        float repetitionPenalty,
        int repetitionWindow,
        float frequencyPenalty,
        float presencePenalty,
        long seed) {

    private static final int MOST_WINDOW = 1 << 20;

    public SamplingOptions {
        require(temperature >= 0 && temperature < Float.POSITIVE_INFINITY, "temperature", temperature, "at least 0");
        require(topK >= 0, "top-k", topK, "at least 0");
        require(topP > 0 && topP <= 1, "top-p", topP, "more than 0 and at most 1");
        require(minP >= 0 && minP <= 1, "min-p", minP, "from 0 to 1");
        boolean penalty = repetitionPenalty > 0 && repetitionPenalty < Float.POSITIVE_INFINITY;
        require(penalty, "repetition penalty", repetitionPenalty, "more than 0");
        require(
                repetitionWindow >= 0 && repetitionWindow <= MOST_WINDOW,
                "repetition window",
                repetitionWindow,
                "from 0 to " + MOST_WINDOW);
        require(Float.isFinite(frequencyPenalty), "frequency penalty", frequencyPenalty, "a number");
        require(Float.isFinite(presencePenalty), "presence penalty", presencePenalty, "a number");
    }

    private static void require(boolean holds, String what, Number value, String rule) {
        if (!holds) {
            throw new MalformedDataException("the " + what + " of sampling must be " + rule + ", not " + value);
        }
    }

    /** The most likely token always. */
    public static SamplingOptions greedy() {
        return new SamplingOptions(0, 0, 1, 0, 1, 64, 0, 0, 0);
    }

    /** What suits most models: temperature 0.8, top-k 40, top-p 0.95, min-p 0.05, no penalties, seed 0. */
    public static SamplingOptions defaults() {
        return new SamplingOptions(0.8f, 40, 0.95f, 0.05f, 1, 64, 0, 0, 0);
    }

    /** Whether the token with the largest logit is chosen always, whatever came before. */
    public boolean isGreedy() {
        return temperature == 0 && !penalises();
    }

    /** Whether it matters which tokens came up lately. */
    boolean penalises() {
        return repetitionWindow > 0 && (repetitionPenalty != 1 || frequencyPenalty != 0 || presencePenalty != 0);
    }

    /** How a device draws tokens with these options; empty where it cannot, as with all tokens to choose from. */
    public Optional<TokenChoice.Drawn> drawn() {
        boolean can = temperature >= TokenChoice.Drawn.LOWEST_TEMPERATURE
                && topK > 0
                && topK <= TokenChoice.Drawn.MOST_CANDIDATES
                && !penalises();
        return can ? Optional.of(new TokenChoice.Drawn(temperature, topK, topP, minP)) : Optional.empty();
    }

    /** A mutable copy, in which a {@code with} method changes something. */
    private static final class Copy {

        private float temperature;
        private int topK;
        private float topP;
        private float minP;
        private float repetitionPenalty;
        private int repetitionWindow;
        private float frequencyPenalty;
        private float presencePenalty;
        private long seed;

        Copy(SamplingOptions options) {
            temperature = options.temperature;
            topK = options.topK;
            topP = options.topP;
            minP = options.minP;
            repetitionPenalty = options.repetitionPenalty;
            repetitionWindow = options.repetitionWindow;
            frequencyPenalty = options.frequencyPenalty;
            presencePenalty = options.presencePenalty;
            seed = options.seed;
        }

        SamplingOptions build() {
            return new SamplingOptions(
                    temperature,
                    topK,
                    topP,
                    minP,
                    repetitionPenalty,
                    repetitionWindow,
                    frequencyPenalty,
                    presencePenalty,
                    seed);
        }
    }

    private SamplingOptions with(Consumer<Copy> change) {
        Copy copy = new Copy(this);
        change.accept(copy);
        return copy.build();
    }

    public SamplingOptions withTemperature(float changed) {
        return with(copy -> copy.temperature = changed);
    }

    public SamplingOptions withTopK(int changed) {
        return with(copy -> copy.topK = changed);
    }

    public SamplingOptions withTopP(float changed) {
        return with(copy -> copy.topP = changed);
    }

    public SamplingOptions withMinP(float changed) {
        return with(copy -> copy.minP = changed);
    }

    /** With a penalty on tokens among the last so many. */
    public SamplingOptions withRepetitionPenalty(float penalty, int window) {
        return with(copy -> {
            copy.repetitionPenalty = penalty;
            copy.repetitionWindow = window;
        });
    }

    /** With penalties on tokens in the repetition window: for each time a token is there, and for being there. */
    public SamplingOptions withPenalties(float frequency, float presence) {
        return with(copy -> {
            copy.frequencyPenalty = frequency;
            copy.presencePenalty = presence;
        });
    }

    public SamplingOptions withSeed(long changed) {
        return with(copy -> copy.seed = changed);
    }
}
