package dev.stowage.llm.fit;

import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.ElementType;

/** A language model and how it is run, whether its shape is known by name or read from a file. */
public sealed interface DecoderWorkload extends Workload permits NamedDecoder, FileDecoder {

    /** Texts of encoders are short, and their graphs are for any number of tokens. */
    int ENCODER_STEP = 32;

    @Override
    TransformerShape shape();

    @Override
    default int layers() {
        return shape().layers();
    }

    /** How many tokens go through it at once. */
    int tokens();

    /** How many tokens the cache has room for. */
    int context();

    /** For how many of the tokens logits are wanted. */
    int outputs();

    /** Whether attention is one fused op. */
    boolean flash();

    /** The element type of keys and values. */
    ElementType cacheType();

    /** The element type of the weights, or of most of them. */
    ElementType weightType();

    /** How many tokens of context the model was trained with. */
    default int trainedContext() {
        return shape().rope().trainedContext();
    }

    /** By how many tokens contexts differ that are worth looking at. */
    default int contextStep() {
        return shape().isEncoder() ? ENCODER_STEP : SessionShape.CELL_STEP;
    }

    /** The same with another number of tokens at once. */
    DecoderWorkload withTokens(int changed);

    /** The same with room for another number of tokens. */
    DecoderWorkload withContext(int changed);

    /** The same with or without fused attention. */
    DecoderWorkload withFlash(boolean changed);

    /** The same with keys and values of another type. */
    DecoderWorkload withCacheType(ElementType changed);
}
