package dev.stowage.llm.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A completion that has ended.
 *
 * @param text all of it, without the prompt and without the stop string
 * @param tokens the tokens that were generated, without one that ended the text
 * @param reason why it ended
 * @param stopString the stop string that came up
 * @param promptTokens how many tokens the prompt has
 * @param cachedTokens how many of these were in the cache already
 * @param probabilities of the tokens, where the request asked for them
 * @param queued how long the request waited for a slot
 * @param reading how long its prompt took, until the first token was chosen
 * @param generating how long the tokens after the first took
 */
public record CompletionResult(
        String text,
        List<Integer> tokens,
        FinishReason reason,
        Optional<String> stopString,
        int promptTokens,
        int cachedTokens,
        List<TokenProbability> probabilities,
        Duration queued,
        Duration reading,
        Duration generating) {

    public CompletionResult {
        tokens = List.copyOf(tokens);
        probabilities = List.copyOf(probabilities);
    }
}
