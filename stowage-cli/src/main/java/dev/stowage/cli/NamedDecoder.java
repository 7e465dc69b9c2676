package dev.stowage.cli;

import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.ElementType;

/** A language model that is known by name, without weights of its own. */
record NamedDecoder(TransformerShape shape, TransformerOptions options) implements DecoderRun {
    @Override
    public String name() {
        return shape.name();
    }

    @Override
    public String description() {
        return shape.description();
    }

    @Override
    public long parameters() {
        return shape.parameters();
    }

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
    public int trainedContext() {
        return shape.rope().trainedContext();
    }

    @Override
    public String contextOption() {
        return "--context";
    }

    @Override
    public String tokensOption() {
        return "--tokens";
    }

    @Override
    public NamedDecoder withTokens(int changed) {
        return new NamedDecoder(
                shape,
                new TransformerOptions(
                        changed,
                        options.context(),
                        Math.min(changed, options.outputs()),
                        options.flash(),
                        options.weightType(),
                        options.cacheType()));
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

    NamedDecoder withWeightType(ElementType changed) {
        return new NamedDecoder(shape, options.withWeightType(changed));
    }

    @Override
    public ModelPasses build() {
        return ModelPasses.of(TransformerGraph.of(shape, options));
    }
}
