package dev.stowage.llm.fit;

import dev.stowage.error.InvalidPlanException;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.models.KeyValueCache;
import dev.stowage.models.Pass;
import dev.stowage.models.TokenChoice;
import dev.stowage.tensor.ElementType;
import java.util.List;
import java.util.Objects;

/**
 * What the memory of a session depends on beside its model: what is planned for and what a session then takes.
 *
 * @param context how many tokens all sequences together may have: the cells of the KV cache
 * @param batch how many tokens go through the model at once, at most
 * @param sequences how many sequences there may be at once
 * @param cacheType the element type of keys and values
 * @param flash whether attention is one fused op; a quantised cache needs it
 * @param rearrangesWeights whether weights are loaded into memory that a device prefers to the mapped file, where it has
 *     such memory
 * @param mapsWeights whether weights stay in the mapped file where a device reads that, instead of being loaded
 * @param encodes whether the model is an encoder: all texts of a pass go through at once and whole, and each token may have an
 *     output
 */
public record SessionShape(
        int context,
        int batch,
        int sequences,
        ElementType cacheType,
        boolean flash,
        boolean rearrangesWeights,
        boolean mapsWeights,
        boolean encodes) {

    /** The cells that tokens look at grow in steps of this many, so that one graph serves many tokens. */
    public static final int CELL_STEP = 256;

    /**
     * @throws InvalidPlanException if a number is below 1
     */
    public SessionShape {
        Objects.requireNonNull(cacheType);
        if (context < 1 || batch < 1 || sequences < 1) {
            throw new InvalidPlanException("a session cannot have a context of " + context + ", a batch of " + batch
                    + " and " + sequences + " sequences: each must be at least 1");
        }
        if (encodes && (long) context * context > Integer.MAX_VALUE) {
            throw new InvalidPlanException(
                    "a context of " + context + " tokens that go through the model at once is too"
                            + " large: which token looks at which must fit into an array, so that 46,340 are the most");
        }
    }

    /** How many tokens go through the model at once; which token may look at which cell must fit into an array. */
    public int tokens() {
        return encodes ? context : Math.min(Math.min(batch, context), Integer.MAX_VALUE / context);
    }

    /** For how many tokens of a full batch there is room for logits. */
    public int outputs() {
        return encodes ? context : Math.min(tokens(), sequences);
    }

    /**
     * The passes that memory is taken for, so that any other fits: a full batch, and a single token, each over the whole
     * context, and each with chosen tokens, which passes that end with logits are without; of an encoder a full one with all
     * states.
     */
    public List<Pass> largestPasses() {
        if (encodes) {
            return List.of(new Pass(context, context, context, TokenChoice.STATES));
        }
        return List.of(
                new Pass(tokens(), context, outputs(), TokenChoice.LARGEST),
                new Pass(1, context, 1, TokenChoice.LARGEST));
    }

    /**
     * The cache of a session, not placed.
     *
     * @throws dev.stowage.error.InvalidGraphException if the model cannot have such a cache
     */
    public KeyValueCache newCache(ModelBlueprint blueprint) {
        int windowCells = blueprint.shape().traits().window().cells(context, tokens(), sequences);
        return blueprint.newCache(context, windowCells, cacheType, flash);
    }

    /** The same with room for another number of tokens. */
    public SessionShape withContext(int changed) {
        return new SessionShape(changed, batch, sequences, cacheType, flash, rearrangesWeights, mapsWeights, encodes);
    }

    /** The same with at most so many tokens at once. */
    public SessionShape withBatch(int changed) {
        return new SessionShape(context, changed, sequences, cacheType, flash, rearrangesWeights, mapsWeights, encodes);
    }

    /** The same with keys and values of another type. */
    public SessionShape withCacheType(ElementType changed) {
        return new SessionShape(context, batch, sequences, changed, flash, rearrangesWeights, mapsWeights, encodes);
    }

    /** The same with or without fused attention. */
    public SessionShape withFlash(boolean changed) {
        return new SessionShape(context, batch, sequences, cacheType, changed, rearrangesWeights, mapsWeights, encodes);
    }
}
