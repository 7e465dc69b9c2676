package dev.stowage.serve.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How likely a token was, and those that could have come in its place.
 *
 * @param token its text, in which part of a character is U+FFFD
 * @param bytes its bytes
 * @param logProbability the natural logarithm of its probability
 * @param most the most likely ones; each without such a list of its own
 */
public record TokenLikelihood(String token, List<Integer> bytes, float logProbability, List<TokenLikelihood> most) {

    /** What OpenAI gives for tokens that are all but impossible. */
    private static final float LEAST = -9999;

    private Map<String, Object> alone() {
        return Json.object("token", token, "logprob", logarithm(), "bytes", bytes);
    }

    private float logarithm() {
        return logProbability >= LEAST ? logProbability : LEAST;
    }

    /** The probabilities of a message, or of a part of it. */
    static Map<String, Object> ofChat(List<TokenLikelihood> tokens) {
        List<Object> content = new ArrayList<>();
        for (TokenLikelihood each : tokens) {
            Map<String, Object> fields = each.alone();
            fields.put(
                    "top_logprobs",
                    each.most.stream().map(TokenLikelihood::alone).toList());
            content.add(fields);
        }
        return Json.object("content", content, "refusal", Json.NULL);
    }

    /**
     * The probabilities of a text, or of a part of it.
     *
     * @param offset how many characters of the text there were before
     */
    static Map<String, Object> ofText(List<TokenLikelihood> tokens, int offset) {
        List<Object> most = new ArrayList<>();
        List<Object> offsets = new ArrayList<>();
        int at = offset;
        for (TokenLikelihood each : tokens) {
            Map<String, Object> likely = Json.object();
            each.most.forEach(other -> likely.put(other.token, other.logarithm()));
            most.add(likely);
            offsets.add(at);
            at += each.token.length();
        }
        return Json.object(
                "tokens",
                tokens.stream().map(TokenLikelihood::token).toList(),
                "token_logprobs",
                tokens.stream().map(TokenLikelihood::logarithm).toList(),
                "top_logprobs",
                most,
                "text_offset",
                offsets);
    }
}
