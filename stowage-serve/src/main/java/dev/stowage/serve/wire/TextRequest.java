package dev.stowage.serve.wire;

import dev.stowage.llm.sampling.SamplingOptions;
import java.util.List;
import java.util.Optional;

/**
 * A request to continue a text.
 *
 * @param prompt the text
 * @param fields how to go on
 * @param probabilities for how many of the most likely tokens probabilities are wanted; empty for none at all
 * @param format what the text must conform to
 */
public record TextRequest(
        TextInput prompt, GenerationFields fields, Optional<Integer> probabilities, Optional<TextFormat> format) {

    private static final int MOST_PROBABILITIES = 20;

    /**
     * Reads it.
     *
     * @throws ApiError if a field is wrong, or cannot be honoured
     */
    public static TextRequest read(JsonObject body, SamplingOptions defaults) {
        Refusals.ofTexts(body);
        Object given = body.value("prompt")
                .orElseThrow(() -> ApiError.invalid("prompt", "'prompt' is missing: a string, or an array of tokens"));
        List<TextInput> prompts = TextInput.read(given, "prompt");
        if (prompts.size() != 1) {
            throw ApiError.invalid(
                    "prompt",
                    "'prompt' must be one text, not " + prompts.size()
                            + ": send a request for each, they are worked on together");
        }
        return new TextRequest(
                prompts.getFirst(),
                GenerationFields.read(body, defaults),
                body.count("logprobs", 0, MOST_PROBABILITIES),
                TextFormat.read(body));
    }
}
