package dev.stowage.llm;

import dev.stowage.llm.model.ModelBlueprint;

/** How attention is computed. */
public enum Attention {
    /**
     * Fused, unless keys and values are not quantised and the scores of a whole batch take little memory: then plain, which
     * adds up in the order that models were recorded with.
     */
    AUTO,
    /** As one op that keeps no scores: the least memory, and the fastest over long contexts. */
    FUSED,
    /** Scores, shares and mixed values one after the other; keys and values cannot be quantised then. */
    PLAIN;

    /** What scores may take so that plain attention is the automatic choice. */
    private static final long FEW_BYTES = 32L << 20;

    /** Whether it is fused for a model with those options. */
    public boolean isFused(ModelBlueprint blueprint, ModelOptions options, int context) {
        return switch (this) {
            case FUSED -> true;
            case PLAIN -> false;
            case AUTO -> {
                long scores = (long) blueprint.shape().heads() * Math.min(options.batch(), context) * context;
                yield options.cacheType().isQuantized() || scores * Float.BYTES > FEW_BYTES;
            }
        };
    }
}
