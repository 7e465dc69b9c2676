package dev.stowage.llm.fit;

import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufValue;
import dev.stowage.gguf.TensorSpec;
import dev.stowage.gguf.quantize.FileType;
import dev.stowage.gguf.quantize.TypeChoice;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.ElementType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A language model of a known shape, without a file, run as a file of that shape is.
 *
 * @param shape the model
 * @param options how it is run, and which type its weights have, or most of them
 * @param mixture what the weights are quantised to, if that is more than one type
 */
public record NamedDecoder(TransformerShape shape, TransformerOptions options, Optional<FileType> mixture)
        implements DecoderWorkload {

    /** A model with weights of one type. */
    public NamedDecoder(TransformerShape shape, TransformerOptions options) {
        this(shape, options, Optional.empty());
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
    public NamedDecoder withTokens(int changed) {
        return new NamedDecoder(shape, options.withTokens(changed), mixture);
    }

    @Override
    public NamedDecoder withContext(int changed) {
        return new NamedDecoder(shape, options.withContext(changed), mixture);
    }

    @Override
    public NamedDecoder withFlash(boolean changed) {
        return new NamedDecoder(shape, options.withFlash(changed), mixture);
    }

    @Override
    public NamedDecoder withCacheType(ElementType changed) {
        return new NamedDecoder(shape, options.withCacheType(changed), mixture);
    }

    /** The same with weights of another type. */
    public NamedDecoder withWeightType(ElementType changed) {
        return new NamedDecoder(shape, options.withWeightType(changed));
    }

    /** The types that quantising a file of this shape would choose, by the name of the weight. */
    private Map<String, ElementType> types(FileType target) {
        String architecture = "llama";
        GgufMetadata metadata = GgufMetadata.empty()
                .with(GgufMetadata.ARCHITECTURE, GgufValue.text(architecture))
                .with(architecture + ".block_count", GgufValue.uint32(shape.layers()))
                .with(architecture + ".attention.head_count", GgufValue.uint32(shape.heads()))
                .with(architecture + ".attention.head_count_kv", GgufValue.uint32(shape.kvHeads()))
                .with(architecture + ".expert_count", GgufValue.uint32(shape.experts()));
        List<TensorSpec> weights = TransformerGraph.withoutMemory(shape, options).weights().stream()
                .map(weight -> new TensorSpec(weight.name(), weight.layout()))
                .toList();
        Map<String, ElementType> types = new HashMap<>();
        TypeChoice.of(metadata, weights, target).targets().forEach((name, spec) -> types.put(name, spec.type()));
        return types;
    }

    /** As a file of this shape, so that both have the same plan. */
    @Override
    public ModelPasses build() {
        List<ModelGraph> models = TransformerGraph.ofPasses(
                shape,
                options,
                mixture.map(this::types).orElse(Map.of()),
                session().largestPasses());
        return new ModelPasses(models, WeightMemory.ofDevices());
    }

    private SessionShape session() {
        return new SessionShape(
                options.context(),
                options.tokens(),
                options.outputs(),
                options.cacheType(),
                options.flash(),
                true,
                true,
                shape.isEncoder());
    }
}
