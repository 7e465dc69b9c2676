package dev.stowage.llm.engine;

import java.util.List;

/**
 * The next piece of a text while it is generated.
 *
 * @param text whole characters; empty if a part has only probabilities, since the text of its tokens is still incomplete
 * @param probabilities of the tokens since the part before, where the request asked for them
 */
public record CompletionPart(String text, List<TokenProbability> probabilities) {

    public CompletionPart {
        probabilities = List.copyOf(probabilities);
    }
}
