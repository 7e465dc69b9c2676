package dev.stowage.llm.sampling;

/** The last tokens of a text, with how often each is among them: a ring, and a count per token. */
final class RecentTokens {

    private final int[] ring;
    private final int[] counts;
    private int size;
    private int oldest;

    RecentTokens(int window, int vocabulary) {
        this.ring = new int[window];
        this.counts = new int[window == 0 ? 0 : vocabulary];
    }

    void add(int token) {
        if (ring.length == 0) {
            return;
        }
        if (size == ring.length) {
            counts[ring[oldest]]--;
            ring[oldest] = token;
            oldest = (oldest + 1) % ring.length;
        } else {
            ring[size++] = token;
        }
        counts[token]++;
    }

    /** Makes tokens that came up lately less likely. */
    void penalise(float[] logits, SamplingOptions options) {
        float penalty = options.repetitionPenalty();
        for (int i = 0; i < size; i++) {
            int token = ring[i];
            if (counts[token] > 0) {
                float logit = logits[token] <= 0 ? logits[token] * penalty : logits[token] / penalty;
                logits[token] = logit - counts[token] * options.frequencyPenalty() - options.presencePenalty();
                // Marks that it has had its penalty, until all have.
                counts[token] = -counts[token];
            }
        }
        for (int i = 0; i < size; i++) {
            counts[ring[i]] = Math.abs(counts[ring[i]]);
        }
    }
}
