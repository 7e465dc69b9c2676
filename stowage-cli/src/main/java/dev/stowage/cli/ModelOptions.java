package dev.stowage.cli;

import dev.stowage.error.StowageException;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.ModelShape;
import dev.stowage.models.ResNetGraph;
import dev.stowage.models.ResNetOptions;
import dev.stowage.models.ResNetShape;
import dev.stowage.models.TransformerGraph;
import dev.stowage.models.TransformerOptions;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The options that say how a model is run, shared by the commands that have a model. */
final class ModelOptions {
    private static final List<String> OF_TRANSFORMERS =
            List.of("--tokens", "--context", "--outputs", "--flash", "--cache-type");
    private static final List<String> OF_RESNETS = List.of("--batch");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--tokens",
            paramLabel = "N",
            defaultValue = "" + TransformerOptions.DEFAULT_TOKENS,
            converter = CountConverter.class,
            description = "Tokens that go through the model at once. Default: ${DEFAULT-VALUE}.")
    private int tokens;

    @Option(
            names = "--context",
            paramLabel = "N",
            converter = CountConverter.class,
            description = "Cells of the KV cache, at least as many as tokens. Default: "
                    + TransformerOptions.DEFAULT_CONTEXT + ", or as many as tokens if those are more.")
    private @Nullable Integer context;

    @Option(
            names = "--outputs",
            paramLabel = "N",
            defaultValue = "1",
            converter = CountConverter.class,
            description = "Tokens whose logits are wanted, at most all. Default: ${DEFAULT-VALUE}.")
    private int outputs;

    @Option(names = "--flash", description = "Use flash attention, which keeps no matrix of scores. Default: plain.")
    private boolean flash;

    @Option(
            names = "--cache-type",
            paramLabel = "TYPE",
            defaultValue = "f16",
            converter = ElementTypeConverter.class,
            completionCandidates = TypeNames.Caches.class,
            description = "Element type of the KV cache: ${COMPLETION-CANDIDATES}. Quantised ones need --flash."
                    + " Default: ${DEFAULT-VALUE}.")
    private ElementType cacheType = ElementType.F16;

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            defaultValue = "f16",
            converter = ElementTypeConverter.class,
            completionCandidates = TypeNames.Weights.class,
            description = "Element type of the weights, such as f32, bf16, q8_0 or q4_K. Matrices whose rows are no"
                    + " whole number of its blocks are f16; norms and biases are always f32."
                    + " Default: ${DEFAULT-VALUE}.")
    private ElementType weightType = ElementType.F16;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "1",
            converter = CountConverter.class,
            description = "Images that go through a network for images at once. Default: ${DEFAULT-VALUE}.")
    private int batch;

    /** A model put together as the options say, and what they come to. */
    record Run(
            ModelGraph model,
            @Nullable TransformerOptions transformer,
            @Nullable ResNetOptions resNet) {}

    /**
     * Puts a model together.
     *
     * @throws ParameterException if the options do not suit the model
     */
    Run run(ModelShape shape) {
        try {
            return switch (shape) {
                case TransformerShape transformer -> {
                    refuse(shape, OF_RESNETS);
                    TransformerOptions options = transformerOptions();
                    yield new Run(TransformerGraph.of(transformer, options), options, null);
                }
                case ResNetShape network -> {
                    refuse(shape, OF_TRANSFORMERS);
                    ResNetOptions options = new ResNetOptions(batch, weightType);
                    yield new Run(ResNetGraph.of(network, options), null, options);
                }
            };
        } catch (StowageException e) {
            throw new ParameterException(spec.commandLine(), shape.name() + ": " + e.getMessage(), e);
        }
    }

    private TransformerOptions transformerOptions() {
        int cells = context == null ? TransformerOptions.ofTokens(tokens).context() : context;
        return new TransformerOptions(tokens, cells, outputs, flash, weightType, cacheType);
    }

    private void refuse(ModelShape shape, List<String> options) {
        ParseResult parsed = spec.commandLine().getParseResult();
        for (String option : options) {
            if (parsed.hasMatchedOption(option)) {
                throw new ParameterException(
                        spec.commandLine(), option + " means nothing to " + shape.name() + ", " + shape.description());
            }
        }
    }
}
