package dev.stowage.llm.engine;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.llm.grammar.Grammar;
import dev.stowage.llm.sampling.SamplingOptions;
import dev.stowage.llm.sampling.TokenConstraint;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A prompt to be continued, and how. Immutable; made by a {@link #builder}.
 *
 * {@snippet class="dev.stowage.llm.engine.EngineSnippetTest" region="request"}
 */
public final class CompletionRequest {

    /** As many tokens as the engine gives a request that has no limit. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** The most stop strings, and the most characters of each. */
    private static final int MOST_STOPS = 64;

    private static final int LONGEST_STOP = 1024;

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private final int[] prompt;
    private final Builder values;

    private CompletionRequest(int[] prompt, Builder values) {
        this.prompt = prompt;
        this.values = values;
    }

    /** A request to continue these tokens, with sampling as {@link SamplingOptions#defaults()} has it. */
    public static Builder builder(int... prompt) {
        return new Builder(prompt.clone());
    }

    /** The tokens to continue. */
    public int[] prompt() {
        return prompt.clone();
    }

    /** How many tokens the prompt has. */
    public int promptTokens() {
        return prompt.length;
    }

    /** The tokens to continue, which the caller does not change. */
    int[] sharedPrompt() {
        return prompt;
    }

    /** How many tokens to generate at most. */
    public int maxTokens() {
        return values.maxTokens;
    }

    /** How each token is chosen. */
    public SamplingOptions sampling() {
        return values.sampling;
    }

    /** Strings that end the text, and are not part of it. */
    public List<String> stop() {
        return values.stop;
    }

    /** For how many of the most likely tokens probabilities are wanted; empty if for none, not even the chosen one. */
    public Optional<Integer> probabilities() {
        return values.probabilities;
    }

    /** What the text must conform to. */
    public Optional<Supplier<? extends TokenConstraint>> constraint() {
        return values.constraint;
    }

    /** The grammar that the text must conform to. */
    public Optional<Grammar> grammar() {
        return values.grammar;
    }

    /** What is added to the logits of tokens. */
    public Map<Integer, Float> bias() {
        return values.bias;
    }

    /** Requests of a higher priority get a slot first. */
    public int priority() {
        return values.priority;
    }

    /** How long it may take from its submission on. */
    public Optional<Duration> timeLimit() {
        return values.timeLimit;
    }

    /** Whether it may begin with what the cache has of earlier requests. */
    public boolean sharesCache() {
        return values.sharesCache;
    }

    /** Whether tokens that end a text are not generated. */
    public boolean ignoresEnd() {
        return values.ignoresEnd;
    }

    /** Whether the largest logit decides and nothing else is to be known. */
    boolean isPlainGreedy() {
        return sampling().isGreedy()
                && probabilities().isEmpty()
                && constraint().isEmpty()
                && grammar().isEmpty()
                && bias().isEmpty()
                && !ignoresEnd();
    }

    @Override
    public String toString() {
        return "request of " + prompt.length + " tokens";
    }

    /** Collects what a request says. */
    public static final class Builder {

        private final int[] prompt;
        private int maxTokens = UNLIMITED;
        private SamplingOptions sampling = SamplingOptions.defaults();
        private List<String> stop = List.of();
        private Optional<Integer> probabilities = Optional.empty();
        private Optional<Supplier<? extends TokenConstraint>> constraint = Optional.empty();
        private Optional<Grammar> grammar = Optional.empty();
        private Map<Integer, Float> bias = Map.of();
        private int priority;
        private Optional<Duration> timeLimit = Optional.empty();
        private boolean sharesCache = true;
        private boolean ignoresEnd;

        private Builder(int[] prompt) {
            this.prompt = prompt;
        }

        private Builder(Builder other) {
            prompt = other.prompt;
            maxTokens = other.maxTokens;
            sampling = other.sampling;
            stop = other.stop;
            probabilities = other.probabilities;
            constraint = other.constraint;
            grammar = other.grammar;
            bias = other.bias;
            priority = other.priority;
            timeLimit = other.timeLimit;
            sharesCache = other.sharesCache;
            ignoresEnd = other.ignoresEnd;
        }

        /** At most so many tokens, from 0 on. Without a limit a request gets a slot's share of the context. */
        public Builder maxTokens(int changed) {
            require(changed >= 0, "the most tokens to generate", changed, "at least 0");
            maxTokens = changed;
            return this;
        }

        /** With tokens chosen that way. */
        public Builder sampling(SamplingOptions changed) {
            sampling = changed;
            return this;
        }

        /** Until one of these strings comes up. */
        public Builder stop(List<String> changed) {
            require(
                    changed.size() <= MOST_STOPS,
                    "the number of stop strings",
                    changed.size(),
                    "at most " + MOST_STOPS);
            for (String each : changed) {
                int length = each.length();
                require(
                        length >= 1 && length <= LONGEST_STOP,
                        "the length of a stop string",
                        length,
                        "from 1 to " + LONGEST_STOP);
            }
            stop = List.copyOf(changed);
            return this;
        }

        /** With the probability of every token, and of that many of the most likely ones. */
        public Builder probabilities(int most) {
            require(most >= 0 && most <= 100, "the number of most likely tokens", most, "from 0 to 100");
            probabilities = Optional.of(most);
            return this;
        }

        /** With tokens that conform to what the supplier makes for this text, such as a grammar at its beginning. */
        public Builder constraint(Supplier<? extends TokenConstraint> changed) {
            constraint = Optional.of(changed);
            return this;
        }

        /** With tokens by which the text conforms to a grammar. A grammar and a {@link #constraint} exclude each other. */
        public Builder grammar(Grammar changed) {
            grammar = Optional.of(changed);
            return this;
        }

        /** With these numbers added to the logits of tokens; negative infinity excludes one. */
        public Builder bias(Map<Integer, Float> changed) {
            changed.forEach((token, number) -> require(
                    !number.isNaN() && number < Float.POSITIVE_INFINITY,
                    "the bias of token " + token,
                    number,
                    "a number below infinity"));
            bias = Map.copyOf(changed);
            return this;
        }

        /** Before requests of a lower priority; 0 unless said otherwise. */
        public Builder priority(int changed) {
            priority = changed;
            return this;
        }

        /** For no longer than that from the submission on. */
        public Builder timeLimit(Duration changed) {
            require(changed.isPositive(), "the time limit", changed, "more than 0");
            // As a number of nanoseconds, of which no clock reaches the end.
            timeLimit = Optional.of(changed.compareTo(LONGEST) > 0 ? LONGEST : changed);
            return this;
        }

        /** With or without sharing the beginning of earlier requests in the cache. */
        public Builder sharesCache(boolean changed) {
            sharesCache = changed;
            return this;
        }

        /** Goes on where the model would end the text. */
        public Builder ignoresEnd(boolean changed) {
            ignoresEnd = changed;
            return this;
        }

        /**
         * The request.
         *
         * @throws InvalidPlanException if there are both a grammar and another constraint
         */
        public CompletionRequest build() {
            require(grammar.isEmpty() || constraint.isEmpty(), "the number of constraints", 2, "at most 1");
            return new CompletionRequest(Arrays.copyOf(prompt, prompt.length), new Builder(this));
        }

        private static void require(boolean holds, String what, Object value, String rule) {
            if (!holds) {
                throw new InvalidPlanException(what + " must be " + rule + ", not " + value);
            }
        }
    }
}
