package dev.stowage.llm.fit;

import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.ElementType;

/**
 * A language model of a known shape, without a file, run with one graph.
 *
 * @param shape the model
 * @param options how it is run, and which type its weights have
 */
public record NamedDecoder(TransformerShape shape, TransformerOptions options) implements DecoderWorkload {

    @Override
    public int tokens() {
        return options.tokens();
    }

    @Override
    public int context() {
        return options.context();
    }

    @Override
    public int outputs() {
        return options.outputs();
    }

    @Override
    public boolean flash() {
        return options.flash();
    }

    @Override
    public ElementType cacheType() {
        return options.cacheType();
    }

    @Override
    public ElementType weightType() {
        return options.weightType();
    }

    @Override
    public NamedDecoder withTokens(int changed) {
        return new NamedDecoder(shape, options.withTokens(changed));
    }

    @Override
    public NamedDecoder withContext(int changed) {
        return new NamedDecoder(shape, options.withContext(changed));
    }

    @Override
    public NamedDecoder withFlash(boolean changed) {
        return new NamedDecoder(shape, options.withFlash(changed));
    }

    @Override
    public NamedDecoder withCacheType(ElementType changed) {
        return new NamedDecoder(shape, options.withCacheType(changed));
    }

    /** The same with weights of another type. */
    public NamedDecoder withWeightType(ElementType changed) {
        return new NamedDecoder(shape, options.withWeightType(changed));
    }

    @Override
    public ModelPasses build() {
        return ModelPasses.of(TransformerGraph.withoutMemory(shape, options));
    }
}
