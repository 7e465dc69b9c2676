package dev.stowage.llm.engine;

import java.util.List;

/**
 * How likely a generated token was by the logits of the model, before penalties, temperature and grammar.
 *
 * @param token the token
 * @param logProbability the natural logarithm of its probability
 * @param most the most likely tokens in its place, the most likely first, as many as the request asked for
 */
public record TokenProbability(int token, float logProbability, List<Candidate> most) {

    /** A token that could have come, and the natural logarithm of its probability. */
    public record Candidate(int token, float logProbability) {}

    public TokenProbability {
        most = List.copyOf(most);
    }
}
