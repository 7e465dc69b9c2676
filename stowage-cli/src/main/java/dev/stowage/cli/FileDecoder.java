package dev.stowage.cli;

import dev.stowage.gguf.GgufContents;
import dev.stowage.gguf.GgufMetadata;
import dev.stowage.gguf.GgufSummary;
import dev.stowage.gguf.Printable;
import dev.stowage.graph.Graph;
import dev.stowage.llm.Attention;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.Session;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.models.KeyValueCache;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.Pass;
import dev.stowage.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A language model as a GGUF file describes it, and how a session of it is run. Only what the head of the file says is
 * used, so that the weights may still be missing; the passes are those that a session takes memory for.
 *
 * @param blueprint what the file describes, for its numbers alone
 * @param options how it is opened
 */
record FileDecoder(ModelBlueprint blueprint, ModelOptions options) implements DecoderRun {

    GgufContents contents() {
        return blueprint.contents();
    }

    @Override
    public String name() {
        return Printable.of(contents().parts().getFirst().file().getFileName().toString());
    }

    @Override
    public String description() {
        GgufMetadata metadata = contents().metadata();
        String architecture = Printable.of(metadata.architecture());
        String name = Printable.of(metadata.text("general.name", ""));
        return name.isEmpty() ? "a " + architecture : name + ", a " + architecture;
    }

    @Override
    public long parameters() {
        return contents().parameters();
    }

    @Override
    public int tokens() {
        return passes().getFirst().tokens();
    }

    @Override
    public int context() {
        return options.contextOf(blueprint);
    }

    @Override
    public int trainedContext() {
        return blueprint.shape().rope().trainedContext();
    }

    @Override
    public boolean flash() {
        return options.attention().isFused(blueprint, options.cacheType());
    }

    @Override
    public ElementType cacheType() {
        return options.cacheType();
    }

    @Override
    public int outputs() {
        return passes().getFirst().outputs();
    }

    private List<Pass> passes() {
        return Session.largestPasses(context(), options.batch(), options.sequences());
    }

    @Override
    public ElementType weightType() {
        return GgufSummary.of(contents()).shares().getFirst().type();
    }

    /** Norms are always f32, and say nothing about a file. */
    @Override
    public String weights() {
        ElementType most = weightType();
        boolean mixed = contents().tensors().values().stream()
                .anyMatch(tensor -> tensor.type() != most && tensor.shape().dim(1) > 1);
        return mixed ? "mostly " + most : most.toString();
    }

    @Override
    public String contextOption() {
        return "--ctx";
    }

    @Override
    public String tokensOption() {
        return "--batch";
    }

    @Override
    public List<String> remarks() {
        List<String> remarks = new ArrayList<>();
        if (context() > trainedContext()) {
            remarks.add(String.format(
                    Locale.ROOT,
                    "The model was trained with a context of %,d tokens; behind them, text will make less and less sense.",
                    trainedContext()));
        }
        long missing = GgufSummary.of(contents()).missingBytes();
        if (missing > 0) {
            remarks.add("The file is not complete: " + BinarySize.of(missing) + " of its data are missing.");
        }
        return remarks;
    }

    @Override
    public FileDecoder withTokens(int changed) {
        return new FileDecoder(blueprint, options.withBatch(changed));
    }

    @Override
    public FileDecoder withContext(int changed) {
        return new FileDecoder(blueprint, options.withContext(changed));
    }

    @Override
    public FileDecoder withFlash(boolean changed) {
        return new FileDecoder(blueprint, options.withAttention(changed ? Attention.FUSED : Attention.PLAIN));
    }

    @Override
    public FileDecoder withCacheType(ElementType changed) {
        return new FileDecoder(blueprint, options.withCacheType(changed));
    }

    @Override
    public ModelPasses build() {
        ModelBlueprint fresh = ModelBlueprint.of(contents());
        KeyValueCache cache = options.newCache(fresh, context());
        List<Graph> graphs =
                passes().stream().map(pass -> fresh.graph(cache, pass).graph()).toList();
        return new ModelPasses(
                ModelGraph.placed(fresh.shape(), fresh.weights(), cache.tensors(), graphs.getFirst()),
                graphs.subList(1, graphs.size()));
    }
}
