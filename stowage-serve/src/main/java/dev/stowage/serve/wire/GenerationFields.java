package dev.stowage.serve.wire;

import dev.stowage.error.MalformedDataException;
import dev.stowage.llm.sampling.SamplingOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The fields that requests for chats and for texts share: how tokens are chosen, when to stop, and how to answer.
 *
 * @param maxTokens the most tokens to generate; empty for as many as there is room for
 * @param sampling how tokens are chosen
 * @param stop strings that end the text
 * @param bias what is added to the logits of tokens
 * @param cachePrompt whether the cache of earlier requests may be used
 * @param ignoreEnd whether tokens that end a text are left out
 * @param stream whether the answer comes in events
 * @param includeUsage whether the stream ends with the usage
 */
public record GenerationFields(
        Optional<Integer> maxTokens,
        SamplingOptions sampling,
        List<String> stop,
        Map<Integer, Float> bias,
        boolean cachePrompt,
        boolean ignoreEnd,
        boolean stream,
        boolean includeUsage) {

    private static final int MOST_STOPS = 64;
    private static final int LONGEST_STOP = 1024;
    private static final int MOST_BIASES = 1024;
    private static final int LARGEST_WINDOW = 1 << 20;
    private static final double LARGEST_TEMPERATURE = 100;

    /** What cannot be done, by field, with the only value that it may have. */
    private static final Map<String, Long> ONLY_ONE = Map.of("n", 1L, "best_of", 1L);

    public GenerationFields {
        stop = List.copyOf(stop);
        bias = Map.copyOf(bias);
    }

    /**
     * Reads them.
     *
     * @param defaults how tokens are chosen where a request does not say; its seed counts unless it is 0
     * @throws ApiError if one is wrong, or cannot be honoured
     */
    public static GenerationFields read(JsonObject body, SamplingOptions defaults) {
        ONLY_ONE.forEach((name, only) -> body.whole(name, Long.MIN_VALUE, Long.MAX_VALUE)
                .ifPresent(given -> {
                    if (!given.equals(only)) {
                        throw ApiError.invalid(
                                name,
                                "'" + name + "' must be 1, not " + given
                                        + ": send as many requests as you want answers, they are worked on together");
                    }
                }));
        boolean stream = body.flag("stream").orElse(false);
        Optional<JsonObject> streaming = body.object("stream_options");
        boolean usage = streaming.flatMap(each -> each.flag("include_usage")).orElse(false);
        return new GenerationFields(
                maxTokens(body),
                sampling(body, defaults),
                stop(body),
                bias(body),
                body.flag("cache_prompt").orElse(true),
                body.flag("ignore_eos").orElse(false),
                stream,
                usage);
    }

    /** The newer name of OpenAI counts more than the older one, and that more than llama-server's. */
    private static Optional<Integer> maxTokens(JsonObject body) {
        Optional<Integer> found = Optional.empty();
        for (String name : List.of("n_predict", "max_tokens", "max_completion_tokens")) {
            Optional<Integer> given = body.count(name, -1, Integer.MAX_VALUE);
            found = given.isPresent() ? given : found;
        }
        return found.filter(most -> most >= 0);
    }

    private static SamplingOptions sampling(JsonObject body, SamplingOptions defaults) {
        SamplingOptions options = defaults;
        try {
            Optional<Double> temperature = body.number("temperature", 0, LARGEST_TEMPERATURE);
            options = temperature.isPresent()
                    ? options.withTemperature(temperature.get().floatValue())
                    : options;
            Optional<Integer> topK = body.count("top_k", -1, Integer.MAX_VALUE);
            options = topK.isPresent() ? options.withTopK(Math.max(0, topK.get())) : options;
            Optional<Double> topP = body.number("top_p", 0, 1);
            // A share of 0 leaves the most likely token, as the least positive one does.
            options = topP.isPresent()
                    ? options.withTopP(Math.max(Float.MIN_VALUE, topP.get().floatValue()))
                    : options;
            Optional<Double> minP = body.number("min_p", 0, 1);
            options = minP.isPresent() ? options.withMinP(minP.get().floatValue()) : options;
            options = penalties(body, options);
            return options.withSeed(seed(body, defaults));
        } catch (MalformedDataException e) {
            throw ApiError.invalid(String.valueOf(e.getMessage()));
        }
    }

    private static SamplingOptions penalties(JsonObject body, SamplingOptions options) {
        double repeat = body.number("repeat_penalty", 0.01, 10).orElse((double) options.repetitionPenalty());
        int window = body.count("repeat_last_n", -1, LARGEST_WINDOW).orElse(options.repetitionWindow());
        double frequency = body.number("frequency_penalty", -2, 2).orElse((double) options.frequencyPenalty());
        double presence = body.number("presence_penalty", -2, 2).orElse((double) options.presencePenalty());
        return options.withRepetitionPenalty((float) repeat, window < 0 ? LARGEST_WINDOW : window)
                .withPenalties((float) frequency, (float) presence);
    }

    private static long seed(JsonObject body, SamplingOptions defaults) {
        Optional<Long> given = body.whole("seed", Long.MIN_VALUE, Long.MAX_VALUE);
        if (given.isPresent() && given.get() != -1) {
            return given.get();
        }
        return given.isEmpty() && defaults.seed() != 0
                ? defaults.seed()
                : ThreadLocalRandom.current().nextLong();
    }

    private static List<String> stop(JsonObject body) {
        Optional<Object> given = body.value("stop");
        if (given.isEmpty()) {
            return List.of();
        }
        List<?> all = given.get() instanceof List<?> list ? list : List.of(given.get());
        if (all.size() > MOST_STOPS) {
            throw ApiError.invalid("stop", "'stop' must have at most " + MOST_STOPS + " strings, not " + all.size());
        }
        List<String> strings = new ArrayList<>();
        for (Object each : all) {
            if (!(each instanceof String text) || text.isEmpty() || text.length() > LONGEST_STOP) {
                throw JsonObject.wrong(
                        "stop", "a string of 1 to " + LONGEST_STOP + " characters, or an array of such", each);
            }
            strings.add(text);
        }
        return strings;
    }

    private static Map<Integer, Float> bias(JsonObject body) {
        Map<Integer, Float> bias = new HashMap<>();
        body.object("logit_bias").ifPresent(fields -> {
            if (fields.names().size() > MOST_BIASES) {
                throw ApiError.invalid("logit_bias", "'logit_bias' must have at most " + MOST_BIASES + " tokens");
            }
            for (String name : fields.names()) {
                bias.put(token(name), fields.number(name, -100, 100).orElse(0.0).floatValue());
            }
        });
        return bias;
    }

    private static int token(String name) {
        try {
            return Integer.parseInt(name);
        } catch (NumberFormatException _) {
            throw ApiError.invalid(
                    "logit_bias",
                    "'logit_bias' must have numbers of tokens as names, not \"" + JsonObject.quote(name) + '"');
        }
    }
}
