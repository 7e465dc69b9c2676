package dev.stowage.cli;

import dev.stowage.error.StowageException;
import dev.stowage.gguf.GgufContents;
import dev.stowage.llm.AttentionMode;
import dev.stowage.llm.ModelOptions;
import dev.stowage.llm.fit.FileDecoder;
import dev.stowage.llm.fit.ImageNetwork;
import dev.stowage.llm.fit.NamedDecoder;
import dev.stowage.llm.fit.Workload;
import dev.stowage.llm.model.ModelBlueprint;
import dev.stowage.models.ModelGraph;
import dev.stowage.models.ModelShape;
import dev.stowage.models.ResNetOptions;
import dev.stowage.models.ResNetShape;
import dev.stowage.models.TransformerOptions;
import dev.stowage.models.TransformerShape;
import dev.stowage.tensor.ElementType;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The options that say how a model is run, shared by the commands that have a model. */
final class ModelArguments {
    private static final List<String> OF_TRANSFORMERS =
            List.of("--tokens", "--context", "--outputs", "--flash", "--no-flash", "--cache-type");
    private static final List<String> OF_MADE_WEIGHTS = List.of("--type");

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--tokens",
            paramLabel = "N",
            converter = CountConverter.class,
            description = "Tokens that go through the model at once. Default: " + TransformerOptions.DEFAULT_TOKENS
                    + ". Of a file at most as many as the context has room for.")
    private @Nullable Integer tokens;

    @Option(
            names = {"--context", "--ctx"},
            paramLabel = "N",
            converter = CountConverter.class,
            description = "Cells of the KV cache, at least as many as tokens. Default: "
                    + TransformerOptions.DEFAULT_CONTEXT + ", or as many as tokens if those are more; of a file at most"
                    + " what the model was trained with.")
    private @Nullable Integer context;

    @Option(
            names = "--outputs",
            paramLabel = "N",
            defaultValue = "1",
            converter = CountConverter.class,
            description = "Tokens whose logits are wanted, at most all. Default: ${DEFAULT-VALUE}.")
    private int outputs;

    @Option(
            names = "--flash",
            description =
                    "Use flash attention, which keeps no matrix of scores. Default: plain for a model by name; for a"
                            + " file what 'stowage run' does, flash unless the model is very small.")
    private boolean flash;

    @Option(names = "--no-flash", description = "Use plain attention.")
    private boolean plain;

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
            description = "Element type of the weights, such as f32, bf16, q8_0 or q4_K, of a model by name. Matrices"
                    + " whose rows are no whole number of its blocks are f16; norms and biases are always f32."
                    + " Default: ${DEFAULT-VALUE}.")
    private ElementType weightType = ElementType.F16;

    @Option(
            names = "--batch",
            paramLabel = "N",
            converter = CountConverter.class,
            description = "What goes through the model at once: tokens, as with --tokens, or images of a network for"
                    + " images, by default 1.")
    private @Nullable Integer batch;

    /**
     * A model put together, and how.
     *
     * @param model weights, caches and the graph that most goes through, in memory that only measures
     * @param how the model and how it is run
     * @param plain whether the user asked for plain attention
     */
    record Run(ModelGraph model, Workload how, boolean plain) {}

    private Run put(Workload how) {
        return new Run(how.build().largest().inMeasuredMemory(), how, plain);
    }

    /**
     * Puts a model together.
     *
     * @throws ParameterException if the options do not suit the model
     * @throws StowageException if a file is no model that can be run
     */
    Run run(ModelChoice choice) {
        return switch (choice) {
            case ModelChoice.Named named -> named(named.shape());
            case ModelChoice.InFile inFile -> file(inFile.file());
        };
    }

    private Run named(ModelShape shape) {
        String what = shape.name() + ", " + shape.description();
        try {
            return put(
                    switch (shape) {
                        case TransformerShape transformer -> new NamedDecoder(transformer, transformerOptions());
                        case ResNetShape network -> {
                            refuse(OF_TRANSFORMERS, what);
                            yield new ImageNetwork(network, new ResNetOptions(batch == null ? 1 : batch, weightType));
                        }
                    });
        } catch (StowageException e) {
            throw new ParameterException(spec.commandLine(), shape.name() + ": " + e.getMessage(), e);
        }
    }

    private TransformerOptions transformerOptions() {
        int atOnce = tokens(TransformerOptions.DEFAULT_TOKENS);
        int cells = context == null ? TransformerOptions.ofTokens(atOnce).context() : context;
        return new TransformerOptions(atOnce, cells, outputs, isFlash(), weightType, cacheType);
    }

    /** What the file says is believed before the options are looked at: a broken file is no wrong command line. */
    private Run file(Path file) {
        ModelBlueprint blueprint = ModelBlueprint.of(GgufContents.read(file));
        refuse(OF_MADE_WEIGHTS, "a file, whose weights are what they are");
        ModelOptions options = ModelOptions.defaults()
                .withBatch(tokens(ModelOptions.DEFAULT_BATCH))
                .withSequences(outputs)
                .withCacheType(cacheType);
        if (context != null) {
            options = options.withContext(context);
        }
        if (flash || plain) {
            options = options.withAttention(isFlash() ? AttentionMode.FUSED : AttentionMode.PLAIN);
        }
        FileDecoder run = new FileDecoder(blueprint, options.session(blueprint));
        try {
            return put(run);
        } catch (StowageException e) {
            throw new ParameterException(spec.commandLine(), run.name() + ": " + e.getMessage(), e);
        }
    }

    private boolean isFlash() {
        if (flash && plain) {
            throw new ParameterException(spec.commandLine(), "--flash and --no-flash cannot both be");
        }
        return flash;
    }

    private int tokens(int otherwise) {
        if (tokens != null && batch != null && !Objects.equals(tokens, batch)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--tokens and --batch say the same of a language model, but " + tokens + " is not " + batch);
        }
        return tokens != null ? tokens : batch != null ? batch : otherwise;
    }

    private void refuse(List<String> options, String what) {
        ParseResult parsed = spec.commandLine().getParseResult();
        for (String option : options) {
            if (parsed.hasMatchedOption(option)) {
                throw new ParameterException(spec.commandLine(), option + " means nothing to " + what);
            }
        }
    }
}
