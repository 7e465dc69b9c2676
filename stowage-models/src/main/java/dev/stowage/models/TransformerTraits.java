package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import java.util.Objects;
import java.util.Optional;

/**
 * What a transformer has that Llama has not, made with a {@link #builder()}. A model with {@link #NONE} is a Llama.
 *
 * @param norms where the norms of a layer are
 * @param wholeNorms whether the norms of queries and keys are over all heads of a token together
 * @param activation what the gate of the feed-forward network goes through
 * @param fused whether queries, keys and values are one matrix, and gate and up are
 * @param scalesQueries whether queries are scaled, and not the scores
 * @param window which layers look only at the last tokens
 * @param ropeStep every so-many-th layer does without rope; 0 where all have it, 1 where none has
 * @param sinks whether each head has a score more that takes part in the sum of the shares
 * @param lateShares whether the shares of experts are computed among the chosen ones alone
 * @param sharedExpert the length within an expert that every token goes through beside those it chooses; 0 for none
 * @param embeddingScale what embeddings are multiplied with
 * @param residualScale what is added between the layers is multiplied with this
 * @param logitScale what logits are multiplied with
 * @param scoreCap attention scores are squeezed between this and its negative; 0 for no limit
 * @param logitCap logits are squeezed between this and its negative; 0 for no limit
 * @param encoder what it has as an encoder; empty for a decoder
 */
public record TransformerTraits(
        NormPlacement norms,
        boolean wholeNorms,
        Activation activation,
        boolean fused,
        boolean scalesQueries,
        AttentionWindow window,
        int ropeStep,
        boolean sinks,
        boolean lateShares,
        int sharedExpert,
        float embeddingScale,
        float residualScale,
        float logitScale,
        float scoreCap,
        float logitCap,
        Optional<EncoderTraits> encoder) {

    /** A Llama. */
    public static final TransformerTraits NONE = builder().build();

    public TransformerTraits {
        Objects.requireNonNull(encoder);
        requireNumber(embeddingScale, "what embeddings are scaled with");
        requireNumber(residualScale, "what residuals are scaled with");
        requireNumber(logitScale, "what logits are scaled with");
        if (!(scoreCap >= 0) || !(logitCap >= 0) || ropeStep < 0 || sharedExpert < 0) {
            throw new InvalidGraphException(
                    "limits of scores and logits, the step of layers without rope and the length"
                            + " of a shared expert are at least 0, not " + scoreCap + ", " + logitCap + ", " + ropeStep
                            + " and "
                            + sharedExpert);
        }
    }

    private static void requireNumber(float scale, String what) {
        if (!Float.isFinite(scale)) {
            throw new InvalidGraphException(what + " must be a number, not " + scale);
        }
    }

    /** Whether a layer rotates queries and keys by position. */
    public boolean hasRope(int layer) {
        return ropeStep == 0 || (layer + 1) % ropeStep != 0;
    }

    /** The name of the norm before the feed-forward network: gpt-oss calls it after what it follows. */
    String feedForwardNorm() {
        return sinks ? "post_attention_norm" : "ffn_norm";
    }

    /** Begins with a Llama. */
    public static Builder builder() {
        return new Builder();
    }

    /** Collects what is different. */
    public static final class Builder {

        private NormPlacement norms = NormPlacement.BEFORE;
        private boolean wholeNorms;
        private Activation activation = Activation.SILU;
        private boolean fused;
        private boolean scalesQueries;
        private AttentionWindow window = AttentionWindow.NONE;
        private int ropeStep;
        private boolean sinks;
        private boolean lateShares;
        private int sharedExpert;
        private float embeddingScale = 1f;
        private float residualScale = 1f;
        private float logitScale = 1f;
        private float scoreCap;
        private float logitCap;
        private Optional<EncoderTraits> encoder = Optional.empty();

        private Builder() {}

        /** Puts the norms of a layer elsewhere. */
        public Builder norms(NormPlacement placement) {
            norms = placement;
            return this;
        }

        /** Has the norms of queries and keys be over all heads of a token together. */
        public Builder wholeNorms() {
            wholeNorms = true;
            return this;
        }

        /** Has the gate go through another function. */
        public Builder activation(Activation function) {
            activation = function;
            return this;
        }

        /** Has queries, keys and values be one matrix, and gate and up another. */
        public Builder fused() {
            fused = true;
            return this;
        }

        /** Has queries scaled in place of scores. */
        public Builder scalesQueries() {
            scalesQueries = true;
            return this;
        }

        /** Has some layers look only at the last tokens. */
        public Builder window(AttentionWindow layers) {
            window = layers;
            return this;
        }

        /** Has every so-many-th layer do without rope. */
        public Builder ropeStep(int step) {
            ropeStep = step;
            return this;
        }

        /** Gives each head a score more. */
        public Builder sinks() {
            sinks = true;
            return this;
        }

        /** Has shares of experts computed among the chosen ones alone. */
        public Builder lateShares() {
            lateShares = true;
            return this;
        }

        /** Has every token go through one expert more, of this length within; 0 for none. */
        public Builder sharedExpert(int feedForward) {
            sharedExpert = feedForward;
            return this;
        }

        /** Scales embeddings, what is added between layers, and logits. */
        public Builder scales(float embeddings, float residuals, float logits) {
            embeddingScale = embeddings;
            residualScale = residuals;
            logitScale = logits;
            return this;
        }

        /** Limits attention scores and logits; 0 for no limit. */
        public Builder caps(float scores, float logits) {
            scoreCap = scores;
            logitCap = logits;
            return this;
        }

        /** Makes it an encoder. */
        public Builder encoder(EncoderTraits traits) {
            encoder = Optional.of(traits);
            return this;
        }

        public TransformerTraits build() {
            return new TransformerTraits(
                    norms,
                    wholeNorms,
                    activation,
                    fused,
                    scalesQueries,
                    window,
                    ropeStep,
                    sinks,
                    lateShares,
                    sharedExpert,
                    embeddingScale,
                    residualScale,
                    logitScale,
                    scoreCap,
                    logitCap,
                    encoder);
        }
    }
}
