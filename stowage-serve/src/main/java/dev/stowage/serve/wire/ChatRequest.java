package dev.stowage.serve.wire;

import dev.stowage.llm.chat.ChatMessage;
import dev.stowage.llm.sampling.SamplingOptions;
import java.util.List;
import java.util.Optional;

/**
 * A request to answer in a chat.
 *
 * @param messages what was said
 * @param fields how to answer
 * @param probabilities for how many of the most likely tokens probabilities are wanted; empty for none at all
 * @param format what the text must conform to
 * @param tools what the model may ask to be called
 */
public record ChatRequest(
        List<ChatMessage> messages,
        GenerationFields fields,
        Optional<Integer> probabilities,
        Optional<TextFormat> format,
        ToolFields tools) {

    private static final int MOST_PROBABILITIES = 20;

    public ChatRequest {
        messages = List.copyOf(messages);
    }

    /**
     * Reads it.
     *
     * @throws ApiError if a field is wrong, or cannot be honoured
     */
    public static ChatRequest read(JsonObject body, SamplingOptions defaults) {
        Refusals.ofChats(body);
        Optional<TextFormat> format = TextFormat.read(body);
        ToolFields tools = ToolFields.read(body);
        if (format.isPresent() && !tools.shown().isEmpty()) {
            throw ApiError.invalid(
                    "tools",
                    "'tools' and '" + format.get().field() + "' exclude each other: calls have a form of their own");
        }
        return new ChatRequest(
                Messages.read(body), GenerationFields.read(body, defaults), probabilities(body), format, tools);
    }

    private static Optional<Integer> probabilities(JsonObject body) {
        Optional<Integer> most = body.count("top_logprobs", 0, MOST_PROBABILITIES);
        boolean wanted = body.flag("logprobs").orElse(false);
        if (!wanted && most.isPresent() && most.get() > 0) {
            throw ApiError.invalid("top_logprobs", "'top_logprobs' needs 'logprobs' to be true");
        }
        return wanted ? Optional.of(most.orElse(0)) : Optional.empty();
    }
}
