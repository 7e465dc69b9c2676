package dev.stowage.llm;

import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.ElementType;

/** How attention is computed. */
public enum AttentionMode {
    /**
     * Fused, unless keys and values are not quantised and the model is so small that the scores of a batch over all the
     * context it was trained for take little memory: then plain, whose numbers are those that models are compared by.
     */
    AUTO,
    /** As one op that keeps no scores: the least memory, and the fastest over long contexts. */
    FUSED,
    /** Scores, shares and mixed values one after the other; keys and values cannot be quantised then. */
    PLAIN;

    /** What scores may take so that plain attention is the automatic choice. */
    private static final long FEW_BYTES = 32L << 20;

    /** Whether it is fused for a model with keys and values of that type; the context asked for makes no difference. */
    public boolean isFused(TransformerShape shape, ElementType cacheType) {
        return switch (this) {
            case FUSED -> true;
            case PLAIN -> false;
            case AUTO -> {
                long trained = shape.rope().trainedContext();
                long scores = shape.heads() * Math.min(ModelOptions.DEFAULT_BATCH, trained) * trained;
                yield cacheType.isQuantized() || scores * Float.BYTES > FEW_BYTES;
            }
        };
    }
}
