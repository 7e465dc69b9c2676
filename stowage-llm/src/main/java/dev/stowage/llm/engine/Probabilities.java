package dev.stowage.llm.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/** The probabilities of tokens by their logits. */
final class Probabilities {

    private static final Comparator<TokenProbability.Candidate> MOST_LIKELY_FIRST = Comparator.comparingDouble(
                    TokenProbability.Candidate::logProbability)
            .reversed()
            .thenComparingInt(TokenProbability.Candidate::token);

    private Probabilities() {}

    /** The probability of a token, and of the most likely ones. */
    static TokenProbability of(float[] logits, int token, int most) {
        float top = Float.NEGATIVE_INFINITY;
        for (float logit : logits) {
            top = logit > top ? logit : top;
        }
        double sum = 0;
        for (float logit : logits) {
            sum += Float.isNaN(logit) ? 0 : Math.exp((double) logit - top);
        }
        double whole = top + Math.log(sum);
        return new TokenProbability(token, (float) (logits[token] - whole), mostLikely(logits, whole, most));
    }

    private static List<TokenProbability.Candidate> mostLikely(float[] logits, double whole, int most) {
        PriorityQueue<TokenProbability.Candidate> kept = new PriorityQueue<>(MOST_LIKELY_FIRST.reversed());
        float least = Float.NEGATIVE_INFINITY;
        for (int token = 0; token < logits.length && most > 0; token++) {
            if (Float.isNaN(logits[token]) || (kept.size() == most && logits[token] <= least)) {
                continue;
            }
            if (kept.size() == most) {
                kept.poll();
            }
            kept.add(new TokenProbability.Candidate(token, (float) (logits[token] - whole)));
            least = logits[kept.element().token()];
        }
        List<TokenProbability.Candidate> sorted = new ArrayList<>(kept);
        sorted.sort(MOST_LIKELY_FIRST);
        return sorted;
    }
}
