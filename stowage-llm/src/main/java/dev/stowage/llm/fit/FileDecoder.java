package dev.stowage.llm.fit;

import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufSummary;
import dev.stowage.gguf.Printable;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.models.KeyValueCache;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.ElementType;
import java.util.List;

/**
 * A language model as a GGUF file describes it, and a session of it. Only what the head of the file says is used, so that
 * the weights may still be missing; the passes are those that a session takes memory for.
 *
 * @param blueprint what the file describes; its tensors are not touched
 * @param session what a session of it takes memory for
 */
public record FileDecoder(ModelBlueprint blueprint, SessionShape session) implements DecoderWorkload {

    /** What the head of the file says. */
    public GgufContents contents() {
        return blueprint.contents();
    }

    @Override
    public TransformerShape shape() {
        return blueprint.shape();
    }

    @Override
    public String name() {
        return Printable.brief(
                contents().parts().getFirst().file().getFileName().toString());
    }

    @Override
    public String description() {
        GgufMetadata metadata = contents().metadata();
        String architecture = Printable.brief(metadata.architecture());
        String name = Printable.brief(metadata.text("general.name", ""));
        return name.isEmpty() ? "a " + architecture : name + ", a " + architecture;
    }

    @Override
    public long parameters() {
        return contents().parameters();
    }

    @Override
    public int tokens() {
        return session.tokens();
    }

    @Override
    public int context() {
        return session.context();
    }

    @Override
    public int outputs() {
        return session.outputs();
    }

    @Override
    public boolean flash() {
        return session.flash();
    }

    @Override
    public ElementType cacheType() {
        return session.cacheType();
    }

    @Override
    public ElementType weightType() {
        return GgufSummary.of(contents()).shares().getFirst().type();
    }

    @Override
    public FileDecoder withTokens(int changed) {
        return new FileDecoder(blueprint, session.withBatch(changed));
    }

    @Override
    public FileDecoder withContext(int changed) {
        return new FileDecoder(blueprint, session.withContext(changed));
    }

    @Override
    public FileDecoder withFlash(boolean changed) {
        return new FileDecoder(blueprint, session.withFlash(changed));
    }

    @Override
    public FileDecoder withCacheType(ElementType changed) {
        return new FileDecoder(blueprint, session.withCacheType(changed));
    }

    @Override
    public ModelPasses build() {
        ModelBlueprint fresh = ModelBlueprint.of(contents());
        KeyValueCache cache = session.newCache(fresh);
        List<ModelGraph> models = session.largestPasses().stream()
                .map(pass -> fresh.graph(cache, pass))
                .map(built ->
                        new ModelGraph(fresh.shape(), fresh.weights(), cache.tensors(), built.graph(), built.layers()))
                .toList();
        return new ModelPasses(models, WeightMemory.ofFile(fresh, session.rearrangesWeights(), session.mapsWeights()));
    }
}
