package dev.stowage.models;

import dev.stowage.error.InvalidGraphException;
import dev.stowage.tensor.ElementType;
import java.util.Objects;

/**
 * How a transformer is run, which together with its shape decides its graph.
 *
 * {@snippet class="dev.stowage.models.ModelSnippetTest" region="options"}
 *
 * @param tokens how many tokens go through the model at once
 * @param context how many cells the cache of keys and values has; at least {@code tokens}
 * @param outputs for how many of the tokens logits are wanted
 * @param flash whether attention is one fused op, which needs no memory for the scores
 * @param weightType the element type of all matrices; those whose rows are not a whole number of its blocks are f16,
 *     and norms and expert routers are always f32
 * @param cacheType the element type of the cache; a quantised one needs {@code flash}
 */
public record TransformerOptions(
        int tokens, int context, int outputs, boolean flash, ElementType weightType, ElementType cacheType) {

    /** How many tokens there are unless others are asked for. */
    public static final int DEFAULT_TOKENS = 512;

    /** How many cells a cache has unless more tokens go through the model at once. */
    public static final int DEFAULT_CONTEXT = 4096;

    /**
     * @throws InvalidGraphException if a number or a type is impossible
     */
    public TransformerOptions {
        if (tokens < 1) {
            throw new InvalidGraphException("there must be at least 1 token, not " + tokens);
        }
        if (context < tokens) {
            throw new InvalidGraphException(
                    "a context of " + context + " has no room for " + tokens + " tokens: it must be at least as large");
        }
        if (outputs < 1 || outputs > tokens) {
            throw new InvalidGraphException(
                    "outputs must be between 1 and the number of tokens, " + tokens + ", not " + outputs);
        }
        WeightTypes.requireWeightType(Objects.requireNonNull(weightType));
        WeightTypes.requireCacheType(Objects.requireNonNull(cacheType), flash);
    }

    /** 512 tokens, a context of 4096, one output, plain attention, f16 throughout. */
    public static TransformerOptions defaults() {
        return ofTokens(DEFAULT_TOKENS);
    }

    /** That many tokens, a context of 4096 or of as many tokens if they are more, and the other defaults. */
    public static TransformerOptions ofTokens(int tokens) {
        return new TransformerOptions(
                tokens, Math.max(tokens, DEFAULT_CONTEXT), 1, false, ElementType.F16, ElementType.F16);
    }

    /** The same with another number of tokens, and with outputs for no more than these. */
    public TransformerOptions withTokens(int newTokens) {
        return new TransformerOptions(newTokens, context, Math.min(newTokens, outputs), flash, weightType, cacheType);
    }

    /** The same with another size of the cache. */
    public TransformerOptions withContext(int newContext) {
        return new TransformerOptions(tokens, newContext, outputs, flash, weightType, cacheType);
    }

    /** The same with logits for another number of tokens. */
    public TransformerOptions withOutputs(int newOutputs) {
        return new TransformerOptions(tokens, context, newOutputs, flash, weightType, cacheType);
    }

    /** The same with or without fused attention. */
    public TransformerOptions withFlash(boolean newFlash) {
        return new TransformerOptions(tokens, context, outputs, newFlash, weightType, cacheType);
    }

    /** The same with matrices of another type. */
    public TransformerOptions withWeightType(ElementType newWeightType) {
        return new TransformerOptions(tokens, context, outputs, flash, newWeightType, cacheType);
    }

    /** The same with a cache of another type. */
    public TransformerOptions withCacheType(ElementType newCacheType) {
        return new TransformerOptions(tokens, context, outputs, flash, weightType, newCacheType);
    }
}
