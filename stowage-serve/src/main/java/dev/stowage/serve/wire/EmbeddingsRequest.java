package dev.stowage.serve.wire;

import java.util.List;
import java.util.Optional;

/**
 * A request for the vectors of texts.
 *
 * @param inputs the texts
 * @param base64 whether vectors are wanted as the bytes of their numbers
 * @param dimensions how long vectors are expected to be
 */
public record EmbeddingsRequest(List<TextInput> inputs, boolean base64, Optional<Integer> dimensions) {

    /** As many as OpenAI takes. */
    private static final int MOST_INPUTS = 2048;

    public EmbeddingsRequest {
        inputs = List.copyOf(inputs);
    }

    /**
     * Reads it.
     *
     * @throws ApiError if a field is wrong
     */
    public static EmbeddingsRequest read(JsonObject body) {
        Object given = body.value("input")
                .orElseThrow(() -> ApiError.invalid("input", "'input' is missing: a string, or an array of strings"));
        List<TextInput> inputs = TextInput.read(given, "input");
        if (inputs.isEmpty() || inputs.size() > MOST_INPUTS) {
            throw ApiError.invalid(
                    "input", "'input' must have from 1 to " + MOST_INPUTS + " texts, not " + inputs.size());
        }
        boolean base64 = body.word("encoding_format", List.of("float", "base64"))
                .orElse("float")
                .equals("base64");
        return new EmbeddingsRequest(inputs, base64, body.count("dimensions", 1, Integer.MAX_VALUE));
    }
}
